import { createRoute } from "@tanstack/react-router";
import { lazyPage } from "@/app/lazyPage";
import { tenantRoute } from "@/app/roots";

export const modelKeysRoute = createRoute({
  getParentRoute: () => tenantRoute,
  path: "/model-keys",
  component: lazyPage(() => import("./ModelKeysPage"), "ModelKeysPage"),
});
