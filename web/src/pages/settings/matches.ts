import { groupNames } from "@/texts/settings";
import { settingSynonyms } from "@/texts/settingSynonyms";
import { isFound } from "@/ui/isFound";
import type { Worded } from "./words";

const synonyms: Readonly<Record<string, string>> = settingSynonyms;

/** The name of a setting as words: "check.failOn" is "check fail On". */
const spaced = (name: string): string => name.replaceAll(".", " ").replace(/([a-z])([A-Z])/g, "$1 $2");

/** Reports whether a search finds a setting: by its name here or in the interface, its description, its values, its group or a synonym. */
export function matches(s: Worded, typed: string): boolean {
  const also = [s.help, groupNames[s.group as keyof typeof groupNames], s.name, spaced(s.name), ...Object.values(s.values ?? {}), s.empty ?? "", synonyms[s.name] ?? ""];
  return isFound({ label: s.label, also: also.join(" ") }, typed);
}
