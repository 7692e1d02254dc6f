import { createRoute } from "@tanstack/react-router";
import { lazyPage } from "@/app/lazyPage";
import { tenantRoute } from "@/app/roots";
import { fixRuns } from "@/texts/fixruns";

export const fixRunRoute = createRoute({
  getParentRoute: () => tenantRoute,
  path: "/repositories/$repositoryId/fix-runs/$fixRunId",
  staticData: { crumb: fixRuns.one },
  component: lazyPage(() => import("./FixRunPage"), "FixRunPage"),
});
