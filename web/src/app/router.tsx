import { createRouter } from "@tanstack/react-router";
import type { QueryClient } from "@tanstack/react-query";
import { approvalsRoute } from "@/pages/approvals/route";
import { auditRoute } from "@/pages/audit/route";
import { connectionsRoute } from "@/pages/connections/route";
import { channelsRoute } from "@/pages/channels/route";
import { costsRoute } from "@/pages/costs/route";
import { dryRunRoute } from "@/pages/dryrun/route";
import { fixRunRoute } from "@/pages/fixrun/route";
import { dryRunsRoute } from "@/pages/dryruns/route";
import { findingRoute } from "@/pages/finding/route";
import { findingsRoute } from "@/pages/findings/route";
import { firstStepsRoute } from "@/pages/firststeps/route";
import { homeRoute } from "@/pages/home/route";
import { inboxRoute } from "@/pages/inbox/route";
import { instancePages } from "@/pages/instance/routes";
import { invitationRoute } from "@/pages/invitation/route";
import { mcpRoute } from "@/pages/mcp/route";
import { meRoute } from "@/pages/me/route";
import { membersRoute } from "@/pages/members/route";
import { modelKeysRoute } from "@/pages/modelkeys/route";
import { modelsRoute } from "@/pages/models/route";
import { notAvailableRoute } from "@/pages/notavailable/route";
import { onboardingRoute, onboardingsRoute } from "@/pages/onboardings/route";
import { overviewRoute } from "@/pages/overview/route";
import { patternsRoute } from "@/pages/patterns/route";
import { defaultsRoute, policyRoute } from "@/pages/policy/route";
import { recordsRoute } from "@/pages/records/route";
import { failedJobRoute } from "@/pages/failedjob/route";
import { pullRoute } from "@/pages/pull/route";
import { repositoriesRoute } from "@/pages/repositories/route";
import { repositoryRoute } from "@/pages/repository/route";
import { repositoryRulesRoute, rulesRoute } from "@/pages/rules/route";
import { runRoute } from "@/pages/run/route";
import { runsRoute } from "@/pages/runs/route";
import { tenantSettingsRoute } from "@/pages/settings/route";
import { toolsRoute } from "@/pages/tools/route";
import { trackersRoute } from "@/pages/trackers/route";
import { Waiting } from "@/ui/Loaded";
import { Absent } from "./Absent";
import { Broken } from "./Broken";
import { instanceRoute, rootRoute, tenantRoute } from "./roots";

// A new page is a line here: its folder below src/pages has its route.
const routeTree = rootRoute.addChildren([
  homeRoute,
  invitationRoute,
  tenantRoute.addChildren([
    overviewRoute,
    inboxRoute,
    runsRoute,
    runRoute,
    approvalsRoute,
    findingsRoute,
    findingRoute,
    repositoriesRoute,
    repositoryRoute,
    pullRoute,
    failedJobRoute,
    policyRoute,
    repositoryRulesRoute,
    recordsRoute,
    onboardingsRoute,
    onboardingRoute,
    dryRunsRoute,
    dryRunRoute,
    fixRunRoute,
    costsRoute,
    firstStepsRoute,
    modelsRoute,
    modelKeysRoute,
    defaultsRoute,
    rulesRoute,
    patternsRoute,
    connectionsRoute,
    trackersRoute,
    toolsRoute,
    channelsRoute,
    mcpRoute,
    membersRoute,
    auditRoute,
    tenantSettingsRoute,
    notAvailableRoute,
    meRoute,
  ]),
  instanceRoute.addChildren(instancePages),
]);

export function makeRouter(queryClient: QueryClient) {
  return createRouter({
    routeTree,
    context: { queryClient },
    defaultPreload: "intent",
    defaultPendingComponent: Waiting,
    defaultNotFoundComponent: Absent,
    defaultErrorComponent: ({ error, reset }) => <Broken error={error} reset={reset} />,
    scrollRestoration: true,
  });
}

declare module "@tanstack/react-router" {
  interface Register {
    router: ReturnType<typeof makeRouter>;
  }
}
