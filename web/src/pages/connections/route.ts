import { createRoute } from "@tanstack/react-router";
import { lazyPage } from "@/app/lazyPage";
import { tenantRoute } from "@/app/roots";
import { text } from "@/texts";

export const connectionsRoute = createRoute({
  getParentRoute: () => tenantRoute,
  path: "/connections",
  staticData: { crumb: text.frame.connections },
  component: lazyPage(() => import("./ConnectionsPage"), "ConnectionsPage"),
});
