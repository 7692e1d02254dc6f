import { createRoute } from "@tanstack/react-router";
import { lazyPage } from "@/app/lazyPage";
import { tenantRoute } from "@/app/roots";
import { text } from "@/texts";

export const notAvailableRoute = createRoute({
  getParentRoute: () => tenantRoute,
  path: "/not-available",
  staticData: { crumb: text.frame.notAvailable },
  component: lazyPage(() => import("./NotAvailablePage"), "NotAvailablePage"),
});
