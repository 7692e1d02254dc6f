import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { tenantRoute } from "@/app/roots";
import { text } from "@/texts";

export const connectionsRoute = createRoute({
  getParentRoute: () => tenantRoute,
  path: "/connections",
  staticData: { crumb: text.frame.connections },
  component: lazyRouteComponent(() => import("./ConnectionsPage"), "ConnectionsPage"),
});
