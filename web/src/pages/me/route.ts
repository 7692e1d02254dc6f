import { createRoute } from "@tanstack/react-router";
import { lazyPage } from "@/app/lazyPage";
import { tenantRoute } from "@/app/roots";

export const meRoute = createRoute({
  getParentRoute: () => tenantRoute,
  path: "/me",
  component: lazyPage(() => import("./MePage"), "MePage"),
});
