import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { tenantRoute } from "@/app/roots";
import { findings as texts } from "@/texts/findings";
import { known, oneOf, ordinal, words } from "@/ui/filterValues";

/** The filters of the list, kept in the address so that a link can be shared. */
export interface FindingsSearch {
  repository?: string;
  state?: keyof typeof texts.states;
  severity?: keyof typeof texts.severities;
  category?: keyof typeof texts.categories;
  rule?: string;
  path?: string;
  number?: number;
}

/** Reads the filters of an address. Invalid ones are left out. */
export function readSearch(search: Record<string, unknown>): FindingsSearch {
  return known<FindingsSearch>({
    repository: words(search["repository"], 100),
    state: oneOf(texts.states, search["state"]),
    severity: oneOf(texts.severities, search["severity"]),
    category: oneOf(texts.categories, search["category"]),
    rule: words(search["rule"], 300),
    path: words(search["path"], 4096),
    number: ordinal(search["number"]),
  });
}

export const findingsRoute = createRoute({
  getParentRoute: () => tenantRoute,
  path: "/findings",
  validateSearch: readSearch,
  staticData: { crumb: texts.title },
  component: lazyRouteComponent(() => import("./FindingsPage"), "FindingsPage"),
});
