import { createRoute } from "@tanstack/react-router";
import { lazyPage } from "@/app/lazyPage";
import { tenantRoute } from "@/app/roots";
import { text } from "@/texts";

export const inboxRoute = createRoute({
  getParentRoute: () => tenantRoute,
  path: "/inbox",
  staticData: { crumb: text.inbox.title },
  component: lazyPage(() => import("./InboxPage"), "InboxPage"),
});
