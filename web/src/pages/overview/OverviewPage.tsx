import { lazy, Suspense } from "react";
import { List, SimpleGrid, Stack, Text, Title } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useParams } from "@tanstack/react-router";
import { dashboardQuery, type Schemas } from "@/api/queries";
import { text } from "@/texts";
import { Bars } from "@/ui/Bars";
import { count } from "@/ui/format";
import { ButtonLink } from "@/ui/links";
import { Loaded } from "@/ui/Loaded";
import { Page } from "@/ui/Page";
import { Connections } from "./Connections";
import { SpendOfDays, TopModels } from "./Spend";

// It goes away once a tenant is set up: it is no part of what a visit loads first.
const StepsLine = lazy(() => import("@/pages/firststeps/StepsLine").then((m) => ({ default: m.StepsLine })));

type Dashboard = Schemas["Dashboard"];

/** The overview of a tenant: what waits, what ran, what it cost, and what does not work. */
export function OverviewPage() {
  const { tenantId } = useParams({ from: "/t/$tenantId" });
  const dashboard = useQuery(dashboardQuery(tenantId));
  return (
    <Page title={text.overview.title}>
      <Suspense fallback={null}>
        <StepsLine tenantId={tenantId} />
      </Suspense>
      <Loaded query={dashboard} lines={8}>
        {(d) => (
          <Stack>
            <SimpleGrid cols={{ base: 1, md: 2 }}>
              <Waits tenantId={tenantId} waiting={d.waiting} />
              <RunsOfDays days={d.reviewsByDay} total={d.totalReviews} />
              {d.spend && <SpendOfDays spend={d.spend} />}
              {d.spend && <TopModels spend={d.spend} />}
            </SimpleGrid>
            {d.connections && <Connections connections={d.connections} />}
          </Stack>
        )}
      </Loaded>
    </Page>
  );
}

const waits = ["approvals", "suppressions", "failedRuns", "reviewRequests", "budgetAlerts", "connections"] as const;

function Waits({ tenantId, waiting }: { tenantId: string; waiting: Dashboard["waiting"] }) {
  const some = waits.filter((w) => waiting[w] > 0);
  return (
    <section className="sheet" aria-labelledby="waits">
      <Stack gap="xs" align="flex-start">
        <Title order={2} id="waits">
          {text.overview.waits}
        </Title>
        {some.length === 0 ? (
          <Text>{text.overview.nothingWaits}</Text>
        ) : (
          <>
            <List>
              {some.map((w) => (
                <List.Item key={w}>{text.overview[w](waiting[w])}</List.Item>
              ))}
            </List>
            <ButtonLink to="/t/$tenantId/inbox" params={{ tenantId }}>
              {text.overview.toInbox}
            </ButtonLink>
          </>
        )}
      </Stack>
    </section>
  );
}

function RunsOfDays({ days, total }: { days: Dashboard["reviewsByDay"]; total: number }) {
  return (
    <section className="sheet" aria-labelledby="runs">
      <Title order={2} id="runs">
        {text.overview.runsByDay}
      </Title>
      {total === 0 ? (
        <Text>{text.overview.noRuns}</Text>
      ) : (
        <>
          <Text mb="xs">
            {text.overview.total}: <strong>{count(total)}</strong>
          </Text>
          <Bars title={text.overview.runsByDay} heading={text.overview.runs} bars={days.map((d) => ({ day: d.day, value: d.count, says: count(d.count) }))} />
        </>
      )}
    </section>
  );
}
