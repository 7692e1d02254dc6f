import { createRoute } from "@tanstack/react-router";
import { lazyPage } from "@/app/lazyPage";
import { tenantRoute } from "@/app/roots";
import { text } from "@/texts";
import { readSearch } from "./suppressionSearch";

export const recordsRoute = createRoute({
  getParentRoute: () => tenantRoute,
  path: "/repositories/$repositoryId/records/$list",
  validateSearch: readSearch,
  staticData: { crumb: text.crumbs.records },
  component: lazyPage(() => import("./RecordsPage"), "RecordsPage"),
});
