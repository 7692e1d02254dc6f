import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { tenantRoute } from "@/app/roots";
import { text } from "@/texts";

export const mcpRoute = createRoute({
  getParentRoute: () => tenantRoute,
  path: "/mcp-access",
  staticData: { crumb: text.frame.mcp },
  component: lazyRouteComponent(() => import("./McpPage"), "McpPage"),
});
