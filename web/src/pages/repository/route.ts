import { createRoute } from "@tanstack/react-router";
import { lazyPage } from "@/app/lazyPage";
import { tenantRoute } from "@/app/roots";
import { text } from "@/texts";

/** The filters of its pull requests. */
export interface RepositorySearch {
  state?: "open" | "closed" | "merged";
}

/** Reads the filters of an address. Invalid ones are left out. */
export function readSearch(search: Record<string, unknown>): RepositorySearch {
  const state = search["state"];
  return state === "open" || state === "closed" || state === "merged" ? { state } : {};
}

export const repositoryRoute = createRoute({
  getParentRoute: () => tenantRoute,
  path: "/repositories/$repositoryId",
  validateSearch: readSearch,
  staticData: { crumb: text.crumbs.repository },
  component: lazyPage(() => import("./RepositoryPage"), "RepositoryPage"),
});
