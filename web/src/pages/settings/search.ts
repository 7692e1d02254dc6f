import { known, words } from "@/ui/filterValues";

/** What a page of settings shows of them, kept in the address so that a link can be shared. */
export interface SettingsSearch {
  /** Words of the settings. */
  q?: string;
  /** Only settings that are set here, or changed and not saved. */
  changed?: true;
}

/** The most characters of a search. */
export const longestSearch = 100;

/** Reads the search of an address. Invalid values are left out. */
export function readSearch(search: Record<string, unknown>): SettingsSearch {
  const only = search["changed"];
  return known<SettingsSearch>({ q: words(search["q"], longestSearch), changed: only === true || only === "true" ? true : undefined });
}
