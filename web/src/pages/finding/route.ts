import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { tenantRoute } from "@/app/roots";
import { findings as texts } from "@/texts/findings";

export const findingRoute = createRoute({
  getParentRoute: () => tenantRoute,
  path: "/repositories/$repositoryId/findings/$findingId",
  staticData: { crumb: texts.one },
  component: lazyRouteComponent(() => import("./FindingPage"), "FindingPage"),
});
