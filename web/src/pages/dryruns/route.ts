import { createRoute } from "@tanstack/react-router";
import { lazyPage } from "@/app/lazyPage";
import { tenantRoute } from "@/app/roots";
import { known, words } from "@/ui/filterValues";

/** The repository whose dry runs are shown. */
export interface DryRunsSearch {
  repository?: string;
}

/** Reads the address, and leaves out what the page does not know. */
export const readSearch = (search: Record<string, unknown>): DryRunsSearch => known<DryRunsSearch>({ repository: words(search["repository"], 100) });

export const dryRunsRoute = createRoute({
  getParentRoute: () => tenantRoute,
  path: "/dry-runs",
  validateSearch: readSearch,
  component: lazyPage(() => import("./DryRunsPage"), "DryRunsPage"),
});
