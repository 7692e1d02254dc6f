import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { tenantRoute } from "@/app/roots";
import { text } from "@/texts";

export const tenantSettingsRoute = createRoute({
  getParentRoute: () => tenantRoute,
  path: "/settings",
  staticData: { crumb: text.crumbs.settings },
  component: lazyRouteComponent(() => import("./TenantSettingsPage"), "TenantSettingsPage"),
});
