import { settings as texts, type Words } from "@/texts/settings";
import { money } from "@/ui/format";
import type { Setting, Value } from "./table";

/** A setting with its words. */
export type Worded = Setting & Words;

/** A table with its words. */
export const worded = <N extends string>(table: readonly (Setting & { name: N })[], words: Readonly<Record<N, Words>>): readonly Worded[] => table.map((s) => ({ ...s, ...words[s.name] }));

/** The name of an option: "none" stands for null. */
export const optionName = (s: Worded, value: Value): string => s.values?.[value === null ? "none" : String(value)] ?? String(value);

/** A value for readers; undefined is a value that was not set. listed has the names of a list of the tenant. */
export function valueText(s: Worded, value: Value | undefined, listed: readonly { id: string; name: string }[] = []): string {
  if (value === undefined) return texts.notSaid;
  if (Array.isArray(value)) return value.length === 0 ? (s.empty ?? texts.empty) : value.join(", ");
  if (s.kind === "switch") return value === true ? texts.on : texts.off;
  if (s.kind === "choice") return optionName(s, value);
  if (s.kind === "money") return value === 0 ? texts.empty : (money(Number(value), "USD") ?? texts.empty);
  if (s.kind === "listed") return listed.find((l) => l.id === value)?.name ?? (value === "" ? texts.empty : String(value));
  return String(value);
}
