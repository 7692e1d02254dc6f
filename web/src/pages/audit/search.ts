import { audit as texts } from "@/texts/audit";

/** What of a log is shown. It stands in the address. */
export interface AuditSearch {
  actor?: string;
  action?: string;
  targetKind?: string;
  targetId?: string;
  result?: keyof typeof texts.results;
  /** Points in time, as RFC 3339 has them. */
  from?: string;
  to?: string;
}

const words = (value: unknown, most: number): string | undefined => {
  const text = typeof value === "string" ? value.trim().slice(0, most) : "";
  return text === "" ? undefined : text;
};

/** A point in time as the interface wants it; what is none is left out. */
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

/** Reads the filters of an address; what is none is left out. */
export function readSearch(search: Record<string, unknown>): AuditSearch {
  const result = search["result"];
  const all = {
    actor: words(search["actor"], 100),
    action: words(search["action"], 100),
    targetKind: words(search["targetKind"], 100),
    targetId: words(search["targetId"], 200),
    result: typeof result === "string" && Object.hasOwn(texts.results, result) ? result : undefined,
    from: timeOf(search["from"]),
    to: timeOf(search["to"]),
  };
  return Object.fromEntries(Object.entries(all).filter(([, v]) => v !== undefined));
}
