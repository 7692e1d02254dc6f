import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { tenantRoute } from "@/app/roots";
import { text } from "@/texts";

export const channelsRoute = createRoute({
  getParentRoute: () => tenantRoute,
  path: "/notifications",
  validateSearch: (search: Record<string, unknown>): { messages?: string } => (typeof search["messages"] === "string" ? { messages: search["messages"] } : {}),
  staticData: { crumb: text.frame.channels },
  component: lazyRouteComponent(() => import("./ChannelsPage"), "ChannelsPage"),
});
