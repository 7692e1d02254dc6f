/** The entries of a field of several lines: one per line, or several separated by commas. */
export const entriesOf = (entered: string): string[] =>
  entered
    .split(/[\n,]/)
    .map((line) => line.trim())
    .filter((line) => line !== "");

/** The lines of a field that are not empty; a comma belongs to its line. */
export const linesOf = (entered: string): string[] =>
  entered
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "");

/** The errors of a list's field: each with its line. errors are by path, such as paths.1. */
export function listFault(errors: Readonly<Record<string, unknown>>, field: string, line: (n: number, says: string) => string): string | undefined {
  const said = Object.entries(errors).flatMap(([path, says]) => {
    const [of, n] = path.split(".");
    if (of !== field || !says) return [];
    const whole = String(says);
    return [n === undefined ? whole : line(Number(n) + 1, whole.charAt(0).toLocaleLowerCase("en") + whole.slice(1))];
  });
  return said.length === 0 ? undefined : said.join(" ");
}
