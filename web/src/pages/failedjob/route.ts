import { createRoute } from "@tanstack/react-router";
import { lazyPage } from "@/app/lazyPage";
import { tenantRoute } from "@/app/roots";
import { failedJobs as texts } from "@/texts/failedJobs";

export const failedJobRoute = createRoute({
  getParentRoute: () => tenantRoute,
  path: "/repositories/$repositoryId/ci-analyses/$analysisId",
  staticData: { crumb: texts.one },
  component: lazyPage(() => import("./FailedJobPage"), "FailedJobPage"),
});
