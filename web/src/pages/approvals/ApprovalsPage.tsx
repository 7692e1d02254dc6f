import { NativeSelect, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useParams } from "@tanstack/react-router";
import { answer, api } from "@/api/client";
import { accessQuery, keys, manages, type Schemas } from "@/api/queries";
import { approvals as texts } from "@/texts/approvals";
import { text } from "@/texts";
import { Empty } from "@/ui/Empty";
import { FilterBar } from "@/ui/FilterBar";
import { Outside } from "@/ui/Outside";
import { shortSha } from "@/ui/format";
import { ButtonLink } from "@/ui/links";
import { Line } from "@/ui/Line";
import { type Column, ListTable } from "@/ui/ListTable";
import { Loaded } from "@/ui/Loaded";
import { Page } from "@/ui/Page";
import { RepositoryPicker } from "@/ui/RepositoryPicker";
import { PullLink } from "@/ui/PullLink";
import { RunLink } from "@/ui/RunLink";
import { StateMark, type Tone } from "@/ui/StateMark";
import { Time } from "@/ui/Time";
import { useFilters } from "@/ui/useFilters";
import { useListing } from "@/ui/useListing";
import { type ApprovalsSearch, readSearch } from "./route";

type Approval = Schemas["Approval"];

const tones: Record<Approval["state"], Tone> = { pending: "warn", approved: "busy", published: "good", rejected: "bad", expired: "quiet" };

const columns = (tenantId: string): readonly Column<Approval>[] => [
  {
    key: "state",
    heading: text.common.state,
    cell: (a) => (
      <StateMark tone={tones[a.state]} waits={a.state === "pending"}>
        {texts.state[a.state]}
      </StateMark>
    ),
  },
  {
    key: "pull",
    heading: text.runs.pull,
    wide: true,
    cell: (a) => (
      <>
        <Line full={a.pullRequest.title}>
          <RunLink tenantId={tenantId} repositoryId={a.repositoryId} runId={a.runId} tab={a.state === "pending" ? "approval" : undefined}>
            #{a.pullRequest.number} <Outside says={a.pullRequest.title} />
          </RunLink>
        </Line>
        <Line quiet>
          <PullLink tenantId={tenantId} repositoryId={a.repositoryId} number={a.pullRequest.number} size="sm">
            <Outside says={`${a.repository}#${a.pullRequest.number}`} />
          </PullLink>{" "}
          <code>{shortSha(a.headSha)}</code>
        </Line>
        {a.decision && a.decision.note !== "" && (
          <Text size="sm" c="dimmed">
            <Outside says={a.decision.note} />
          </Text>
        )}
      </>
    ),
  },
  { key: "findings", heading: texts.findings, numbers: true, cell: (a) => a.findings.length },
  { key: "since", heading: texts.since, cell: (a) => <Time at={a.createdAt} /> },
  { key: "end", heading: texts.end, cell: (a) => (a.decision ? <Decided by={a.decision.name} at={a.decision.at} /> : <Time at={a.expiresAt} />) },
];

function Decided({ by, at }: { by: string; at: string }) {
  return (
    <>
      {by !== "" && (
        <>
          <Outside says={by} />,{" "}
        </>
      )}
      <Time at={at} />
    </>
  );
}

/** Reviews that wait for a person, and those that were decided. */
export function ApprovalsPage() {
  const { tenantId } = useParams({ from: "/t/$tenantId" });
  const [search, filter] = useFilters(readSearch);
  const access = useQuery(accessQuery(tenantId));
  return (
    <Page title={texts.title}>
      <FilterBar filters={search} change={filter}>
        <RepositoryPicker all={text.common.allRepositories} tenantId={tenantId} value={search.repository ?? ""} onChange={(repository) => filter({ repository })} />
        <NativeSelect
          label={text.common.state}
          autoComplete="off"
          value={search.state ?? "pending"}
          data={Object.entries(texts.state).map(([value, label]) => ({ value, label }))}
          onChange={(e) => filter({ state: e.currentTarget.value })}
        />
      </FilterBar>
      <Loaded query={access}>{(a) => (search.repository || manages(a) ? <ApprovalList tenantId={tenantId} {...search} /> : <Choose tenantId={tenantId} />)}</Loaded>
    </Page>
  );
}

function Choose({ tenantId }: { tenantId: string }) {
  return (
    <Empty
      says={texts.choose}
      action={
        <ButtonLink to="/t/$tenantId/inbox" params={{ tenantId }} variant="default">
          {text.inbox.title}
        </ButtonLink>
      }
    />
  );
}

function ApprovalList({ tenantId, repository, state = "pending" }: ApprovalsSearch & { tenantId: string }) {
  const listing = useListing(keys.tenant(tenantId, "approvals", { repository, state }), (cursor, signal) => {
    const query = { state, ...(cursor ? { cursor } : {}) };
    return repository
      ? answer(api.GET("/api/tenants/{tenantId}/repositories/{repositoryId}/approvals", { params: { path: { tenantId, repositoryId: repository }, query }, signal }))
      : answer(api.GET("/api/tenants/{tenantId}/approvals", { params: { path: { tenantId }, query }, signal }));
  });
  const action =
    repository || state !== "pending" ? (
      <ButtonLink to="/t/$tenantId/approvals" params={{ tenantId }} className="clears" variant="default">
        {texts.clear}
      </ButtonLink>
    ) : (
      <ButtonLink to="/t/$tenantId/runs" params={{ tenantId }} variant="default">
        {texts.toRuns}
      </ButtonLink>
    );
  return <ListTable caption={texts.caption} columns={columns(tenantId)} listing={listing} rowKey={(a) => a.id} empty={<Empty says={state === "pending" ? texts.none : texts.empty} action={action} />} />;
}
