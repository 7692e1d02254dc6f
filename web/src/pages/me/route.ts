import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { tenantRoute } from "@/app/roots";
import { text } from "@/texts";

export const meRoute = createRoute({
  getParentRoute: () => tenantRoute,
  path: "/me",
  staticData: { crumb: text.me.title },
  component: lazyRouteComponent(() => import("./MePage"), "MePage"),
});
