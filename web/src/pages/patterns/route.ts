import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { tenantRoute } from "@/app/roots";
import { text } from "@/texts";

export const patternsRoute = createRoute({
  getParentRoute: () => tenantRoute,
  path: "/patterns",
  staticData: { crumb: text.frame.patterns },
  component: lazyRouteComponent(() => import("./PatternsPage"), "PatternsPage"),
});
