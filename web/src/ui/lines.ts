/** The entries of a field of several lines: one per line, or several separated by commas. */
export const linesOf = (entered: string): string[] =>
  entered
    .split(/[\n,]/)
    .map((line) => line.trim())
    .filter((line) => line !== "");
