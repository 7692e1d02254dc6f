import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { tenantRoute } from "@/app/roots";
import { text } from "@/texts";

export const membersRoute = createRoute({
  getParentRoute: () => tenantRoute,
  path: "/members",
  staticData: { crumb: text.frame.members },
  component: lazyRouteComponent(() => import("./MembersPage"), "MembersPage"),
});
