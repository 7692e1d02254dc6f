import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { tenantRoute } from "@/app/roots";
import { text } from "@/texts";

export const onboardingsRoute = createRoute({
  getParentRoute: () => tenantRoute,
  path: "/onboardings",
  validateSearch: (search: Record<string, unknown>): { state?: string } => (typeof search["state"] === "string" ? { state: search["state"] } : {}),
  staticData: { crumb: text.frame.onboardings },
  component: lazyRouteComponent(() => import("./OnboardingsPage"), "OnboardingsPage"),
});

export const onboardingRoute = createRoute({
  getParentRoute: () => tenantRoute,
  path: "/repositories/$repositoryId/onboarding",
  staticData: { crumb: text.crumbs.trial, list: { says: text.frame.onboardings, to: "/t/$tenantId/onboardings" } },
  component: lazyRouteComponent(() => import("./OnboardingPage"), "OnboardingPage"),
});
