import { createRoute } from "@tanstack/react-router";
import { lazyPage } from "@/app/lazyPage";
import { tenantRoute } from "@/app/roots";
import { text } from "@/texts";

export const membersRoute = createRoute({
  getParentRoute: () => tenantRoute,
  path: "/members",
  staticData: { crumb: text.frame.members },
  component: lazyPage(() => import("./MembersPage"), "MembersPage"),
});
