import { createRoute } from "@tanstack/react-router";
import { lazyPage } from "@/app/lazyPage";
import { tenantRoute } from "@/app/roots";
import { readSearch } from "@/pages/settings/search";
import { text } from "@/texts";

export const policyRoute = createRoute({
  getParentRoute: () => tenantRoute,
  path: "/repositories/$repositoryId/policy",
  validateSearch: readSearch,
  staticData: { crumb: text.crumbs.policy },
  component: lazyPage(() => import("./PolicyPage"), "PolicyPage"),
});

export const defaultsRoute = createRoute({
  getParentRoute: () => tenantRoute,
  path: "/defaults",
  validateSearch: readSearch,
  component: lazyPage(() => import("./DefaultsPage"), "DefaultsPage"),
});
