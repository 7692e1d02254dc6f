import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { tenantRoute } from "@/app/roots";
import { text } from "@/texts";

export const inboxRoute = createRoute({
  getParentRoute: () => tenantRoute,
  path: "/inbox",
  staticData: { crumb: text.inbox.title },
  component: lazyRouteComponent(() => import("./InboxPage"), "InboxPage"),
});
