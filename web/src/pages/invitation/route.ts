import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { rootRoute } from "@/app/roots";

/** The page to which links of invitations lead, outside of any tenant. */
export const invitationRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/invitation",
  component: lazyRouteComponent(() => import("./InvitationPage"), "InvitationPage"),
});
