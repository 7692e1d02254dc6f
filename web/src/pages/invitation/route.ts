import { createRoute } from "@tanstack/react-router";
import { lazyPage } from "@/app/lazyPage";
import { rootRoute } from "@/app/roots";

/** The page to which links of invitations lead, outside of any tenant. */
export const invitationRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/invitation",
  component: lazyPage(() => import("./InvitationPage"), "InvitationPage"),
});
