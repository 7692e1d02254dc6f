import { createRoute } from "@tanstack/react-router";
import { lazyPage } from "@/app/lazyPage";
import { tenantRoute } from "@/app/roots";

export const inboxRoute = createRoute({
  getParentRoute: () => tenantRoute,
  path: "/inbox",
  component: lazyPage(() => import("./InboxPage"), "InboxPage"),
});
