import type { ReactNode } from "react";
import { List, SimpleGrid, Stack, Text, Title } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useParams } from "@tanstack/react-router";
import { dashboardQuery, type Schemas } from "@/api/queries";
import { SeverityCounts } from "@/pages/run/SeverityCounts";
import { text } from "@/texts";
import { Bars } from "@/ui/Bars";
import { Empty } from "@/ui/Empty";
import { count } from "@/ui/format";
import { ButtonLink, PageLink } from "@/ui/links";
import { Loaded } from "@/ui/Loaded";
import { Page } from "@/ui/Page";
import { Connections } from "./Connections";
import { SpendOfDays, TopModels } from "./Spend";

type Dashboard = Schemas["Dashboard"];

/** The overview of a tenant: what waits, what ran, what it cost, and what does not work. */
export function OverviewPage() {
  const { tenantId } = useParams({ from: "/t/$tenantId" });
  const dashboard = useQuery(dashboardQuery(tenantId));
  return (
    <Page title={text.overview.title}>
      <Loaded query={dashboard} lines={8}>
        {(d) => (
          <Stack>
            <SimpleGrid cols={{ base: 1, md: 2 }}>
              <Waits tenantId={tenantId} waiting={d.waiting} />
              <Findings tenantId={tenantId} all={d.findings} mine={d.myFindings} />
              <RunsOfDays tenantId={tenantId} days={d.reviewsByDay} total={d.totalReviews} />
              {d.spend && <SpendOfDays tenantId={tenantId} spend={d.spend} />}
              {d.spend && <TopModels tenantId={tenantId} spend={d.spend} />}
            </SimpleGrid>
            {d.connections && <Connections tenantId={tenantId} connections={d.connections} />}
          </Stack>
        )}
      </Loaded>
    </Page>
  );
}

const waits = ["approvals", "suppressions", "onboardings", "rules", "failedRuns", "reviewRequests", "budgetAlerts", "connections", "hostAccounts"] as const;

/** The way to the things that wait: to the page that has these alone, where there is one, and else to the inbox. */
function Leads({ tenantId, of, children }: { tenantId: string; of: (typeof waits)[number]; children: ReactNode }) {
  const params = { tenantId };
  if (of === "onboardings")
    return (
      <PageLink to="/t/$tenantId/onboardings" params={params} search={{ state: "proposed" }}>
        {children}
      </PageLink>
    );
  if (of === "failedRuns")
    return (
      <PageLink to="/t/$tenantId/runs" params={params} search={{ state: "failed" }}>
        {children}
      </PageLink>
    );
  if (of === "budgetAlerts")
    return (
      <PageLink to="/t/$tenantId/costs" params={params}>
        {children}
      </PageLink>
    );
  if (of === "hostAccounts")
    return (
      <PageLink to="/t/$tenantId/me" params={params}>
        {children}
      </PageLink>
    );
  return (
    <PageLink to="/t/$tenantId/inbox" params={params}>
      {children}
    </PageLink>
  );
}

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
                <List.Item key={w}>
                  <Leads tenantId={tenantId} of={w}>
                    {text.overview[w](waiting[w])}
                  </Leads>
                </List.Item>
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

function Findings({ tenantId, all, mine }: { tenantId: string; all: Dashboard["findings"]; mine: Dashboard["myFindings"] }) {
  return (
    <section className="sheet" aria-labelledby="findings">
      <Stack gap="xs" align="flex-start">
        <Title order={2} id="findings">
          {text.overview.findings}
        </Title>
        <SeverityCounts of={all} none={text.overview.noFindings} />
        <PageLink to="/t/$tenantId/findings" params={{ tenantId }}>
          {text.overview.toFindings}
        </PageLink>
        <Text fw={700}>{text.overview.myFindings}</Text>
        <SeverityCounts of={mine} none={text.overview.noFindings} />
        <PageLink to="/t/$tenantId/findings" params={{ tenantId }} search={{ mine: true }}>
          {text.overview.toMyFindings}
        </PageLink>
      </Stack>
    </section>
  );
}

function RunsOfDays({ tenantId, days, total }: { tenantId: string; days: Dashboard["reviewsByDay"]; total: number }) {
  return (
    <section className="sheet" aria-labelledby="runs">
      <Title order={2} id="runs">
        {text.overview.runsByDay}
      </Title>
      {total === 0 ? (
        <Empty
          says={text.overview.noRuns}
          action={
            <ButtonLink to="/t/$tenantId/repositories" params={{ tenantId }} variant="default">
              {text.overview.toRepositories}
            </ButtonLink>
          }
        />
      ) : (
        <>
          <Text mb="xs">
            {text.overview.total}: <strong>{count(total)}</strong>
          </Text>
          <Bars title={text.overview.runsByDay} heading={text.overview.runs} bars={days.map((d) => ({ day: d.day, value: d.count, says: count(d.count) }))} />
          <PageLink to="/t/$tenantId/runs" params={{ tenantId }} size="sm">
            {text.overview.toRuns}
          </PageLink>
        </>
      )}
    </section>
  );
}
