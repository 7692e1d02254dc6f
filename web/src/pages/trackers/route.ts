import { createRoute } from "@tanstack/react-router";
import { lazyPage } from "@/app/lazyPage";
import { tenantRoute } from "@/app/roots";

export const trackersRoute = createRoute({
  getParentRoute: () => tenantRoute,
  path: "/trackers",
  component: lazyPage(() => import("./TrackersPage"), "TrackersPage"),
});
