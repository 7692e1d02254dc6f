import { createRoute } from "@tanstack/react-router";
import { lazyPage } from "@/app/lazyPage";
import { tenantRoute } from "@/app/roots";
import { pull as texts } from "@/texts/pull";

export const pullRoute = createRoute({
  getParentRoute: () => tenantRoute,
  path: "/repositories/$repositoryId/pulls/$number",
  staticData: { crumb: texts.one },
  component: lazyPage(() => import("./PullPage"), "PullPage"),
});
