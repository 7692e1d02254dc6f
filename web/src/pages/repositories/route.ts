import { createRoute } from "@tanstack/react-router";
import { lazyPage } from "@/app/lazyPage";
import { tenantRoute } from "@/app/roots";

/** The filters of the list. */
export interface RepositoriesSearch {
  name?: string;
  state?: "active" | "disconnected";
  /** Through which they are reached: an installation or a connection. */
  connection?: string;
}

/** Reads the filters of an address. Invalid ones are left out. */
export function readSearch(search: Record<string, unknown>): RepositoriesSearch {
  const name = typeof search["name"] === "string" ? search["name"].trim().slice(0, 200) : "";
  const state = search["state"];
  const connection = typeof search["connection"] === "string" ? search["connection"].slice(0, 100) : "";
  return { ...(name !== "" ? { name } : {}), ...(state === "active" || state === "disconnected" ? { state } : {}), ...(connection !== "" ? { connection } : {}) };
}

export const repositoriesRoute = createRoute({
  getParentRoute: () => tenantRoute,
  path: "/repositories",
  validateSearch: readSearch,
  component: lazyPage(() => import("./RepositoriesPage"), "RepositoriesPage"),
});
