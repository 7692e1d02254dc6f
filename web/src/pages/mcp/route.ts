import { createRoute } from "@tanstack/react-router";
import { lazyPage } from "@/app/lazyPage";
import { tenantRoute } from "@/app/roots";
import { text } from "@/texts";

export const mcpRoute = createRoute({
  getParentRoute: () => tenantRoute,
  path: "/mcp-access",
  staticData: { crumb: text.frame.mcp },
  component: lazyPage(() => import("./McpPage"), "McpPage"),
});
