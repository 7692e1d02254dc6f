import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { tenantRoute } from "@/app/roots";
import { text } from "@/texts";

export const notAvailableRoute = createRoute({
  getParentRoute: () => tenantRoute,
  path: "/not-available",
  staticData: { crumb: text.frame.notAvailable },
  component: lazyRouteComponent(() => import("./NotAvailablePage"), "NotAvailablePage"),
});
