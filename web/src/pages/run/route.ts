import { createRoute } from "@tanstack/react-router";
import { lazyPage } from "@/app/lazyPage";
import { tenantRoute } from "@/app/roots";
import { text } from "@/texts";
import { runSearch } from "./tabs";

export const runRoute = createRoute({
  getParentRoute: () => tenantRoute,
  path: "/repositories/$repositoryId/runs/$runId",
  validateSearch: runSearch,
  staticData: { crumb: text.runs.one, list: { says: text.runs.title, to: "/t/$tenantId/runs" } },
  component: lazyPage(() => import("./RunPage"), "RunPage"),
});
