import { createRoute, redirect } from "@tanstack/react-router";
import { lazyPage } from "@/app/lazyPage";
import { instanceRoute } from "@/app/roots";

/** The filters of an address. Pages read them, so that their words load with them. */
const any = (search: Record<string, unknown>): Record<string, unknown> => search;

/** The instance itself is its health. */
export const instanceHomeRoute = createRoute({
  getParentRoute: () => instanceRoute,
  path: "/",
  beforeLoad: () => {
    throw redirect({ to: "/instance/health", replace: true });
  },
});

export const healthRoute = createRoute({
  getParentRoute: () => instanceRoute,
  path: "/health",
  component: lazyPage(() => import("./HealthPage"), "HealthPage"),
});

export const deliveriesRoute = createRoute({
  getParentRoute: () => instanceRoute,
  path: "/deliveries",
  validateSearch: any,
  component: lazyPage(() => import("./DeliveriesPage"), "DeliveriesPage"),
});

export const deadLettersRoute = createRoute({
  getParentRoute: () => instanceRoute,
  path: "/dead-letters",
  validateSearch: any,
  component: lazyPage(() => import("./DeadLettersPage"), "DeadLettersPage"),
});

export const tenantsRoute = createRoute({
  getParentRoute: () => instanceRoute,
  path: "/tenants",
  component: lazyPage(() => import("./TenantsPage"), "TenantsPage"),
});

export const instanceAuditRoute = createRoute({
  getParentRoute: () => instanceRoute,
  path: "/audit",
  validateSearch: any,
  component: lazyPage(() => import("./InstanceAuditPage"), "InstanceAuditPage"),
});

export const appsRoute = createRoute({
  getParentRoute: () => instanceRoute,
  path: "/apps",
  component: lazyPage(() => import("./AppsPage"), "AppsPage"),
});

export const providersRoute = createRoute({
  getParentRoute: () => instanceRoute,
  path: "/identity-providers",
  component: lazyPage(() => import("./ProvidersPage"), "ProvidersPage"),
});

export const instanceSettingsRoute = createRoute({
  getParentRoute: () => instanceRoute,
  path: "/settings",
  component: lazyPage(() => import("./InstanceSettingsPage"), "InstanceSettingsPage"),
});

export const telemetryRoute = createRoute({
  getParentRoute: () => instanceRoute,
  path: "/telemetry",
  component: lazyPage(() => import("./TelemetryPage"), "TelemetryPage"),
});

export const signOffRoute = createRoute({
  getParentRoute: () => instanceRoute,
  path: "/sign-off",
  component: lazyPage(() => import("./SignOffPage"), "SignOffPage"),
});

export const evaluationsRoute = createRoute({
  getParentRoute: () => instanceRoute,
  path: "/evaluations",
  component: lazyPage(() => import("./EvaluationsPage"), "EvaluationsPage"),
});

export const instancePages = [instanceHomeRoute, healthRoute, deliveriesRoute, deadLettersRoute, tenantsRoute, appsRoute, providersRoute, instanceSettingsRoute, signOffRoute, telemetryRoute, evaluationsRoute, instanceAuditRoute] as const;
