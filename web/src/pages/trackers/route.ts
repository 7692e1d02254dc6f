import { createRoute } from "@tanstack/react-router";
import { lazyPage } from "@/app/lazyPage";
import { tenantRoute } from "@/app/roots";
import { text } from "@/texts";

export const trackersRoute = createRoute({
  getParentRoute: () => tenantRoute,
  path: "/trackers",
  staticData: { crumb: text.frame.trackers },
  component: lazyPage(() => import("./TrackersPage"), "TrackersPage"),
});
