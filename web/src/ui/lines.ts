/** What was entered in a field of several lines: one thing in a line, or several with commas between them. */
export const linesOf = (entered: string): string[] =>
  entered
    .split(/[\n,]/)
    .map((line) => line.trim())
    .filter((line) => line !== "");
