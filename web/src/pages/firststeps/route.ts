import { createRoute } from "@tanstack/react-router";
import { lazyPage } from "@/app/lazyPage";
import { tenantRoute } from "@/app/roots";

export const firstStepsRoute = createRoute({
  getParentRoute: () => tenantRoute,
  path: "/first-steps",
  component: lazyPage(() => import("./FirstStepsPage"), "FirstStepsPage"),
});
