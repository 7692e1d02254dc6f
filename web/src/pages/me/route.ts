import { createRoute } from "@tanstack/react-router";
import { lazyPage } from "@/app/lazyPage";
import { tenantRoute } from "@/app/roots";
import { text } from "@/texts";

export const meRoute = createRoute({
  getParentRoute: () => tenantRoute,
  path: "/me",
  staticData: { crumb: text.me.title },
  component: lazyPage(() => import("./MePage"), "MePage"),
});
