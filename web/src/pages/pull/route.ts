import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { tenantRoute } from "@/app/roots";
import { pull as texts } from "@/texts/pull";

export const pullRoute = createRoute({
  getParentRoute: () => tenantRoute,
  path: "/repositories/$repositoryId/pulls/$number",
  staticData: { crumb: texts.one },
  component: lazyRouteComponent(() => import("./PullPage"), "PullPage"),
});
