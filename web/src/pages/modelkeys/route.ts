import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { tenantRoute } from "@/app/roots";
import { text } from "@/texts";

export const modelKeysRoute = createRoute({
  getParentRoute: () => tenantRoute,
  path: "/model-keys",
  staticData: { crumb: text.frame.modelKeys },
  component: lazyRouteComponent(() => import("./ModelKeysPage"), "ModelKeysPage"),
});
