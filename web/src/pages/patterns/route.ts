import { createRoute } from "@tanstack/react-router";
import { lazyPage } from "@/app/lazyPage";
import { tenantRoute } from "@/app/roots";
import { text } from "@/texts";

export const patternsRoute = createRoute({
  getParentRoute: () => tenantRoute,
  path: "/patterns",
  staticData: { crumb: text.frame.patterns },
  component: lazyPage(() => import("./PatternsPage"), "PatternsPage"),
});
