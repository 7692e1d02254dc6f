import { createRoute } from "@tanstack/react-router";
import { lazyPage } from "@/app/lazyPage";
import { tenantRoute } from "@/app/roots";
import { text } from "@/texts";

export const firstStepsRoute = createRoute({
  getParentRoute: () => tenantRoute,
  path: "/first-steps",
  staticData: { crumb: text.frame.firstSteps },
  component: lazyPage(() => import("./FirstStepsPage"), "FirstStepsPage"),
});
