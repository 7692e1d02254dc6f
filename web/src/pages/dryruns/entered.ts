import type { Schemas } from "@/api/queries";
import { entriesOf } from "@/ui/lines";

/** The values of the form that starts a dry run. */
export interface Entered extends Record<string, unknown> {
  which: "last" | "numbers";
  last: number | string;
  pullRequests: string;
  label: string;
}

export const nothingEntered: Entered = { which: "last", last: 10, pullRequests: "", label: "" };

/** Numbers of pull requests from an entered text, with or without #; undefined if an entry is not a number. */
export function numbersOf(entered: string): number[] | undefined {
  const all = entriesOf(entered).flatMap((part) => part.split(/\s+/)).map((part) => part.replace(/^#/, ""));
  return all.length > 0 && all.every((part) => /^[1-9]\d{0,9}$/.test(part)) ? [...new Set(all.map(Number))] : undefined;
}

/** The request: the present settings and the chosen pull requests. */
export function createBody(v: Entered): Schemas["DryRunCreate"] {
  const label = v.label.trim();
  return {
    ...(label === "" ? {} : { label }),
    ...(v.which === "last" ? (typeof v.last === "number" ? { last: v.last } : {}) : { pullRequests: numbersOf(v.pullRequests) ?? [] }),
  };
}
