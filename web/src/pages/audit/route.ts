import { createRoute } from "@tanstack/react-router";
import { lazyPage } from "@/app/lazyPage";
import { tenantRoute } from "@/app/roots";

export const auditRoute = createRoute({
  getParentRoute: () => tenantRoute,
  path: "/audit",
  validateSearch: (search: Record<string, unknown>): Record<string, unknown> => search, // read by the page, so that its words load with it
  component: lazyPage(() => import("./AuditPage"), "AuditPage"),
});
