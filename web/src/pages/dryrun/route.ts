import { createRoute } from "@tanstack/react-router";
import { lazyPage } from "@/app/lazyPage";
import { tenantRoute } from "@/app/roots";
import { text } from "@/texts";

export const dryRunRoute = createRoute({
  getParentRoute: () => tenantRoute,
  path: "/repositories/$repositoryId/dry-runs/$dryRunId",
  staticData: { crumb: text.dryRuns.one, list: { says: text.dryRuns.title, to: "/t/$tenantId/dry-runs" } },
  component: lazyPage(() => import("./DryRunPage"), "DryRunPage"),
});
