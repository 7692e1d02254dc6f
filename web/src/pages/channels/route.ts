import { createRoute } from "@tanstack/react-router";
import { lazyPage } from "@/app/lazyPage";
import { tenantRoute } from "@/app/roots";
import { known, words } from "@/ui/filterValues";

/** The channel whose messages are shown. */
export interface Search {
  messages?: string;
}

/** Reads the address, and leaves out what the page does not know. */
export const readSearch = (search: Record<string, unknown>): Search => known<Search>({ messages: words(search["messages"], 100) });

export const channelsRoute = createRoute({
  getParentRoute: () => tenantRoute,
  path: "/notifications",
  validateSearch: readSearch,
  component: lazyPage(() => import("./ChannelsPage"), "ChannelsPage"),
});
