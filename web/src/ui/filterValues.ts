/** A filter value that has a name. Other values are left out. */
export const oneOf = <K extends string>(names: Record<K, string>, value: unknown): K | undefined => (typeof value === "string" && Object.hasOwn(names, value) ? (value as K) : undefined);

/** Words of a filter, without spaces around, cut to the most characters that the interface takes. */
export function words(value: unknown, most: number): string | undefined {
  const said = typeof value === "string" ? value.trim().slice(0, most) : "";
  return said === "" ? undefined : said;
}

/** A number of a list that begins with 1, as addresses have it: as a number or in digits. */
export function ordinal(value: unknown): number | undefined {
  const number = typeof value === "number" ? value : typeof value === "string" && /^\d{1,16}$/.test(value) ? Number(value) : 0;
  return Number.isSafeInteger(number) && number > 0 ? number : undefined;
}

/** The filters that are set. */
export const known = <T extends object>(all: { [K in keyof T]: T[K] | undefined }): T => Object.fromEntries(Object.entries(all).filter(([, v]) => v !== undefined)) as T;
