import { Code, Group, Text } from "@mantine/core";
import { answer, api } from "@/api/client";
import { keys, type Schemas } from "@/api/queries";
import { place, severities } from "@/pages/run/grouping";
import { SeverityMark } from "@/pages/run/SeverityMark";
import { findings } from "@/texts/findings";
import { pull as texts } from "@/texts/pull";
import { Empty } from "@/ui/Empty";
import { PageLink } from "@/ui/links";
import { ListTable, type Column } from "@/ui/ListTable";
import { Outside } from "@/ui/Outside";
import { RunLink } from "@/ui/RunLink";
import { StateMark } from "@/ui/StateMark";
import { useListing } from "@/ui/useListing";

type Row = Schemas["ListedFinding"];

interface Props {
  tenantId: string;
  repositoryId: string;
  number: number;
}

/** Page size. Few pull requests have more findings. */
const part = 200;

/** The findings of a pull request in all states: open ones first, then by severity. */
export function PullFindings({ tenantId, repositoryId, number }: Props) {
  const path = { tenantId, repositoryId };
  const listing = useListing<Row>(keys.tenant(tenantId, "pull-requests", repositoryId, "findings", number), (cursor, signal) =>
    answer(api.GET("/api/tenants/{tenantId}/repositories/{repositoryId}/findings", { params: { path, query: { number, limit: part, ...(cursor ? { cursor } : {}) } }, signal })),
  );
  return <ListTable caption={texts.findingsCaption} columns={columns(path)} listing={{ ...listing, items: listing.items.toSorted(worstFirst) }} rowKey={(f) => f.id} empty={<Empty says={texts.noneFound} />} />;
}

const rank = (f: Row) => (f.state === "open" ? 0 : severities.length) + severities.indexOf(f.severity);
const worstFirst = (a: Row, b: Row) => rank(a) - rank(b);

const columns = (path: { tenantId: string; repositoryId: string }): readonly Column<Row>[] => [
  { key: "severity", heading: findings.severity, cell: (f) => <SeverityMark severity={f.severity} /> },
  {
    key: "finding",
    heading: texts.finding,
    cell: (f) => (
      <>
        <PageLink to="/t/$tenantId/repositories/$repositoryId/findings/$findingId" params={{ ...path, findingId: f.id }}>
          <Outside says={f.title} />
        </PageLink>
        {f.path !== "" && (
          <div>
            <Code>
              <Outside says={place(f)} />
            </Code>
          </div>
        )}
      </>
    ),
  },
  {
    key: "state",
    heading: texts.state,
    cell: (f) => (
      <Group gap="xs">
        <StateMark tone={f.state === "open" ? "warn" : "quiet"}>{findings.states[f.state]}</StateMark>
        {!f.postedRunId && (
          <Text size="sm" c="dimmed">
            {texts.unpublished}
          </Text>
        )}
      </Group>
    ),
  },
  {
    key: "seen",
    heading: texts.seen,
    cell: (f) => (
      <RunLink {...path} runId={f.lastRunId}>
        {texts.thatReview}
      </RunLink>
    ),
  },
];
