import { createRoute } from "@tanstack/react-router";
import { lazyPage } from "@/app/lazyPage";
import { tenantRoute } from "@/app/roots";
import { text } from "@/texts";

export const onboardingsRoute = createRoute({
  getParentRoute: () => tenantRoute,
  path: "/onboardings",
  validateSearch: (search: Record<string, unknown>): { state?: string } => (typeof search["state"] === "string" ? { state: search["state"] } : {}),
  component: lazyPage(() => import("./OnboardingsPage"), "OnboardingsPage"),
});

export const onboardingRoute = createRoute({
  getParentRoute: () => tenantRoute,
  path: "/repositories/$repositoryId/onboarding",
  staticData: { crumb: text.crumbs.trial, list: { says: text.frame.onboardings, to: "/t/$tenantId/onboardings" } },
  component: lazyPage(() => import("./OnboardingPage"), "OnboardingPage"),
});
