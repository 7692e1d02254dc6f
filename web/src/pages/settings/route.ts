import { createRoute } from "@tanstack/react-router";
import { lazyPage } from "@/app/lazyPage";
import { tenantRoute } from "@/app/roots";
import { text } from "@/texts";

export const tenantSettingsRoute = createRoute({
  getParentRoute: () => tenantRoute,
  path: "/settings",
  staticData: { crumb: text.crumbs.settings },
  component: lazyPage(() => import("./TenantSettingsPage"), "TenantSettingsPage"),
});
