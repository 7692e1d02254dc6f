import { createRoute } from "@tanstack/react-router";
import { lazyPage } from "@/app/lazyPage";
import { tenantRoute } from "@/app/roots";

export const mcpRoute = createRoute({
  getParentRoute: () => tenantRoute,
  path: "/mcp-access",
  component: lazyPage(() => import("./McpPage"), "McpPage"),
});
