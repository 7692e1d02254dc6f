import { createRoute } from "@tanstack/react-router";
import { lazyPage } from "@/app/lazyPage";
import { tenantRoute } from "@/app/roots";

export const patternsRoute = createRoute({
  getParentRoute: () => tenantRoute,
  path: "/patterns",
  component: lazyPage(() => import("./PatternsPage"), "PatternsPage"),
});
