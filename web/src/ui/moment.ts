/** A point in time in the form of the interface; undefined if the value is not one. */
export function timeOf(value: unknown): string | undefined {
  if (typeof value !== "string" || value.trim() === "") return undefined;
  const at = new Date(value);
  return Number.isNaN(at.getTime()) ? undefined : at.toISOString();
}

/** A point in time as an input of the kind datetime-local has it: in the reader's zone, to the minute. */
export function localOf(iso: string | undefined): string {
  if (!iso) return "";
  const at = new Date(iso);
  const two = (n: number) => String(n).padStart(2, "0");
  return `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}T${two(at.getHours())}:${two(at.getMinutes())}`;
}
