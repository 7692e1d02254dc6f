import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { tenantRoute } from "@/app/roots";
import { text } from "@/texts";

export const trackersRoute = createRoute({
  getParentRoute: () => tenantRoute,
  path: "/trackers",
  staticData: { crumb: text.frame.trackers },
  component: lazyRouteComponent(() => import("./TrackersPage"), "TrackersPage"),
});
