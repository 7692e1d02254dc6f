import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { tenantRoute } from "@/app/roots";
import { text } from "@/texts";

export const dryRunsRoute = createRoute({
  getParentRoute: () => tenantRoute,
  path: "/dry-runs",
  validateSearch: (search: Record<string, unknown>): { repository?: string } => (typeof search["repository"] === "string" && search["repository"] !== "" ? { repository: search["repository"] } : {}),
  staticData: { crumb: text.dryRuns.title },
  component: lazyRouteComponent(() => import("./DryRunsPage"), "DryRunsPage"),
});
