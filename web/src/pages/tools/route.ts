import { createRoute } from "@tanstack/react-router";
import { lazyPage } from "@/app/lazyPage";
import { tenantRoute } from "@/app/roots";
import { known, words } from "@/ui/filterValues";

/** The server whose calls are shown. */
export interface Search {
  calls?: string;
}

/** Reads the address, and leaves out what the page does not know. */
export const readSearch = (search: Record<string, unknown>): Search => known<Search>({ calls: words(search["calls"], 100) });

export const toolsRoute = createRoute({
  getParentRoute: () => tenantRoute,
  path: "/mcp-servers",
  validateSearch: readSearch,
  component: lazyPage(() => import("./ToolServersPage"), "ToolServersPage"),
});
