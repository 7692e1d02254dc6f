import { createRoute } from "@tanstack/react-router";
import { lazyPage } from "@/app/lazyPage";
import { tenantRoute } from "@/app/roots";
import { text } from "@/texts";
import { findings as texts } from "@/texts/findings";

export const findingRoute = createRoute({
  getParentRoute: () => tenantRoute,
  path: "/repositories/$repositoryId/findings/$findingId",
  staticData: { crumb: texts.one, list: { says: text.frame.findings, to: "/t/$tenantId/findings" } },
  component: lazyPage(() => import("./FindingPage"), "FindingPage"),
});
