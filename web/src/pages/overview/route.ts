import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { tenantRoute } from "@/app/roots";

export const overviewRoute = createRoute({
  getParentRoute: () => tenantRoute,
  path: "/",
  
  component: lazyRouteComponent(() => import("./OverviewPage"), "OverviewPage"),
});
