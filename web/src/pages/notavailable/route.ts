import { createRoute } from "@tanstack/react-router";
import { lazyPage } from "@/app/lazyPage";
import { tenantRoute } from "@/app/roots";

export const notAvailableRoute = createRoute({
  getParentRoute: () => tenantRoute,
  path: "/not-available",
  component: lazyPage(() => import("./NotAvailablePage"), "NotAvailablePage"),
});
