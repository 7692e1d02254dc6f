import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { tenantRoute } from "@/app/roots";
import { readSearch } from "@/pages/settings/search";
import { text } from "@/texts";

export const policyRoute = createRoute({
  getParentRoute: () => tenantRoute,
  path: "/repositories/$repositoryId/policy",
  validateSearch: readSearch,
  staticData: { crumb: text.crumbs.policy },
  component: lazyRouteComponent(() => import("./PolicyPage"), "PolicyPage"),
});

export const defaultsRoute = createRoute({
  getParentRoute: () => tenantRoute,
  path: "/defaults",
  validateSearch: readSearch,
  staticData: { crumb: text.crumbs.defaults },
  component: lazyRouteComponent(() => import("./DefaultsPage"), "DefaultsPage"),
});
