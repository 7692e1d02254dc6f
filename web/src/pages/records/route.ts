import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { tenantRoute } from "@/app/roots";
import { text } from "@/texts";

export const recordsRoute = createRoute({
  getParentRoute: () => tenantRoute,
  path: "/repositories/$repositoryId/records/$list",
  staticData: { crumb: text.crumbs.records },
  component: lazyRouteComponent(() => import("./RecordsPage"), "RecordsPage"),
});
