import { createRoute } from "@tanstack/react-router";
import { lazyPage } from "@/app/lazyPage";
import { tenantRoute } from "@/app/roots";

export const tenantSettingsRoute = createRoute({
  getParentRoute: () => tenantRoute,
  path: "/settings",
  component: lazyPage(() => import("./TenantSettingsPage"), "TenantSettingsPage"),
});
