import { createRoute } from "@tanstack/react-router";
import { lazyPage } from "@/app/lazyPage";
import { tenantRoute } from "@/app/roots";
import { findings as texts } from "@/texts/findings";
import { known, oneOf, ordinal, words } from "@/ui/filterValues";

/** The filters of the list, kept in the address so that a link can be shared. */
export interface FindingsSearch {
  repository?: string;
  state?: keyof typeof texts.states;
  severity?: keyof typeof texts.severities;
  category?: keyof typeof texts.categories;
  pullRequests?: keyof typeof texts.pulls;
  published?: keyof typeof texts.publications;
  sort?: keyof typeof texts.orders;
  rule?: string;
  path?: string;
  author?: string;
  number?: number;
  /** Only findings in the reader's own pull requests. */
  mine?: true;
  page?: number;
}

/** The last page that the interface can show, with pages of [pageSize]. */
export const lastPage = 200;

/** Findings on a page. */
export const pageSize = 50;

/** Reads the filters of an address. Invalid ones are left out. */
export function readSearch(search: Record<string, unknown>): FindingsSearch {
  const page = ordinal(search["page"]);
  return known<FindingsSearch>({
    repository: words(search["repository"], 100),
    state: oneOf(texts.states, search["state"]),
    severity: oneOf(texts.severities, search["severity"]),
    category: oneOf(texts.categories, search["category"]),
    pullRequests: oneOf(texts.pulls, search["pullRequests"]),
    published: oneOf(texts.publications, search["published"]),
    sort: oneOf(texts.orders, search["sort"]),
    rule: words(search["rule"], 300),
    path: words(search["path"], 4096),
    author: words(search["author"], 200),
    number: ordinal(search["number"]),
    mine: search["mine"] === true || search["mine"] === "true" ? true : undefined,
    page: page !== undefined && page > 1 && page <= lastPage ? page : undefined,
  });
}

export const findingsRoute = createRoute({
  getParentRoute: () => tenantRoute,
  path: "/findings",
  validateSearch: readSearch,
  component: lazyPage(() => import("./FindingsPage"), "FindingsPage"),
});
