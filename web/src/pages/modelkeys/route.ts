import { createRoute } from "@tanstack/react-router";
import { lazyPage } from "@/app/lazyPage";
import { tenantRoute } from "@/app/roots";
import { text } from "@/texts";

export const modelKeysRoute = createRoute({
  getParentRoute: () => tenantRoute,
  path: "/model-keys",
  staticData: { crumb: text.frame.modelKeys },
  component: lazyPage(() => import("./ModelKeysPage"), "ModelKeysPage"),
});
