import { useCallback } from "react";
import { Code, Stack, Text } from "@mantine/core";
import { useParams } from "@tanstack/react-router";
import { answer, api } from "@/api/client";
import { keys, type Schemas } from "@/api/queries";
import { place } from "@/pages/run/grouping";
import { SeverityMark } from "@/pages/run/SeverityMark";
import { text } from "@/texts";
import { findings as texts } from "@/texts/findings";
import { Empty } from "@/ui/Empty";
import { ButtonLink, PageLink } from "@/ui/links";
import { type Column, ListTable } from "@/ui/ListTable";
import { Page } from "@/ui/Page";
import { RunLink } from "@/ui/RunLink";
import { StateMark, type Tone } from "@/ui/StateMark";
import { Time } from "@/ui/Time";
import { useFilters } from "@/ui/useFilters";
import { useListing } from "@/ui/useListing";
import { useUsualRepository } from "@/ui/useUsualRepository";
import { Filters } from "./Filters";
import { type FindingsSearch, readSearch } from "./route";

type Listed = Schemas["ListedFinding"];

const tones: Record<Listed["state"], Tone> = { open: "warn", resolved: "good", dismissed: "quiet", suppressed: "quiet" };

const columns = (tenantId: string, repositoryId: string): readonly Column<Listed>[] => [
  { key: "severity", heading: texts.severity, cell: (f) => <SeverityMark severity={f.severity} /> },
  {
    key: "finding",
    heading: texts.finding,
    cell: (f) => (
      <Stack gap={0}>
        <PageLink to="/t/$tenantId/repositories/$repositoryId/findings/$findingId" params={{ tenantId, repositoryId, findingId: f.id }}>
          <bdi>{f.title}</bdi>
        </PageLink>
        {f.path !== "" && <Code>{place(f)}</Code>}
      </Stack>
    ),
  },
  { key: "state", heading: text.common.state, cell: (f) => <StateMark tone={tones[f.state]}>{texts.states[f.state]}</StateMark> },
  { key: "rule", heading: texts.rule, cell: (f) => <Text size="sm">{f.ruleId}</Text> },
  {
    key: "pull",
    heading: texts.pull,
    cell: (f) => (
      <RunLink tenantId={tenantId} repositoryId={repositoryId} runId={f.lastRunId}>
        #{f.pullRequest.number} <bdi>{f.pullRequest.title}</bdi>
      </RunLink>
    ),
  },
  { key: "changed", heading: texts.changed, cell: (f) => <Time at={f.updatedAt} /> },
];

/** The findings in a repository. */
export function FindingsPage() {
  const { tenantId } = useParams({ from: "/t/$tenantId" });
  const [search, change] = useFilters(readSearch);
  const choose = useCallback((repository: string) => change({ repository }), [change]);
  useUsualRepository(tenantId, search.repository, choose);
  return (
    <Page title={texts.title}>
      <Filters key={`${search.rule} ${search.path} ${search.number}`} tenantId={tenantId} search={search} change={change} />
      {search.repository ? <FindingList tenantId={tenantId} {...search} repository={search.repository} /> : <Empty says={texts.choose} />}
    </Page>
  );
}

function FindingList({ tenantId, repository, ...filter }: FindingsSearch & { tenantId: string; repository: string }) {
  const listing = useListing(keys.tenant(tenantId, "findings", { repository, ...filter }), (cursor, signal) =>
    answer(api.GET("/api/tenants/{tenantId}/repositories/{repositoryId}/findings", { params: { path: { tenantId, repositoryId: repository }, query: { ...filter, ...(cursor ? { cursor } : {}) } }, signal })),
  );
  const clear = (
    <ButtonLink to="/t/$tenantId/findings" params={{ tenantId }} search={{ repository }} variant="default">
      {texts.clear}
    </ButtonLink>
  );
  const filtered = Object.keys(filter).length > 0;
  const runs = (
    <ButtonLink to="/t/$tenantId/runs" params={{ tenantId }} search={{ repository }} variant="default">
      {texts.toRuns}
    </ButtonLink>
  );
  return <ListTable caption={texts.caption} columns={columns(tenantId, repository)} listing={listing} rowKey={(f) => f.id} empty={<Empty says={filtered ? texts.empty : texts.none} action={filtered ? clear : runs} />} />;
}
