import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { tenantRoute } from "@/app/roots";
import { text } from "@/texts";

export const toolsRoute = createRoute({
  getParentRoute: () => tenantRoute,
  path: "/mcp-servers",
  validateSearch: (search: Record<string, unknown>): { calls?: string } => (typeof search["calls"] === "string" ? { calls: search["calls"] } : {}),
  staticData: { crumb: text.frame.tools },
  component: lazyRouteComponent(() => import("./ToolServersPage"), "ToolServersPage"),
});
