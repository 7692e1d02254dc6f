import { createRoute } from "@tanstack/react-router";
import { lazyPage } from "@/app/lazyPage";
import { tenantRoute } from "@/app/roots";

export const membersRoute = createRoute({
  getParentRoute: () => tenantRoute,
  path: "/members",
  component: lazyPage(() => import("./MembersPage"), "MembersPage"),
});
