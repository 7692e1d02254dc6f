import { createRoute } from "@tanstack/react-router";
import { lazyPage } from "@/app/lazyPage";
import { tenantRoute } from "@/app/roots";
import { text } from "@/texts";

/** The rule that is open in the editor: its id, or "new". */
export interface RulesSearch {
  edit?: string;
}

/** Reads what an address says. */
export const readSearch = (search: Record<string, unknown>): RulesSearch => (typeof search["edit"] === "string" && /^[A-Za-z0-9_]{1,64}$/.test(search["edit"]) ? { edit: search["edit"] } : {});

export const rulesRoute = createRoute({
  getParentRoute: () => tenantRoute,
  path: "/rules",
  validateSearch: readSearch,
  component: lazyPage(() => import("./RulesPage"), "RulesPage"),
});

export const repositoryRulesRoute = createRoute({
  getParentRoute: () => tenantRoute,
  path: "/repositories/$repositoryId/rules",
  validateSearch: readSearch,
  staticData: { crumb: text.crumbs.rules },
  component: lazyPage(() => import("./RepositoryRulesPage"), "RepositoryRulesPage"),
});
