import { createRoute } from "@tanstack/react-router";
import { lazyPage } from "@/app/lazyPage";
import { tenantRoute } from "@/app/roots";

export const connectionsRoute = createRoute({
  getParentRoute: () => tenantRoute,
  path: "/connections",
  component: lazyPage(() => import("./ConnectionsPage"), "ConnectionsPage"),
});
