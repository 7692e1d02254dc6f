import { suppressions as texts } from "@/texts/suppressions";
import { known, oneOf, words } from "@/ui/filterValues";

/** The filters of the list of suppressions, kept in the address so that a link can be shared. */
export interface SuppressionSearch {
  state?: keyof typeof texts.states;
  scope?: keyof typeof texts.scopes;
  /** The one suppression to show. */
  id?: string;
}

/** Reads the filters of an address. Invalid ones are left out. */
export function readSearch(search: Record<string, unknown>): SuppressionSearch {
  return known<SuppressionSearch>({
    state: oneOf(texts.states, search["state"]),
    scope: oneOf(texts.scopes, search["scope"]),
    id: words(search["id"], 100),
  });
}
