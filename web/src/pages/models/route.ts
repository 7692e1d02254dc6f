import { createRoute } from "@tanstack/react-router";
import { lazyPage } from "@/app/lazyPage";
import { tenantRoute } from "@/app/roots";

/** The repository whose models are shown, kept in the address so that a link can be shared. */
export interface ModelsSearch {
  repository?: string;
}

export const readSearch = (search: Record<string, unknown>): ModelsSearch => (typeof search["repository"] === "string" && search["repository"] !== "" ? { repository: search["repository"] } : {});

export const modelsRoute = createRoute({
  getParentRoute: () => tenantRoute,
  path: "/models",
  validateSearch: readSearch,
  component: lazyPage(() => import("./ModelsPage"), "ModelsPage"),
});
