import { createRoute } from "@tanstack/react-router";
import { lazyPage } from "@/app/lazyPage";
import { tenantRoute } from "@/app/roots";

export const overviewRoute = createRoute({
  getParentRoute: () => tenantRoute,
  path: "/",
  
  component: lazyPage(() => import("./OverviewPage"), "OverviewPage"),
});
