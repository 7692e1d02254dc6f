import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { tenantRoute } from "@/app/roots";
import { text } from "@/texts";

export const firstStepsRoute = createRoute({
  getParentRoute: () => tenantRoute,
  path: "/first-steps",
  staticData: { crumb: text.frame.firstSteps },
  component: lazyRouteComponent(() => import("./FirstStepsPage"), "FirstStepsPage"),
});
