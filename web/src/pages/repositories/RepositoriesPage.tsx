import { Group, NativeSelect, Stack } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useParams } from "@tanstack/react-router";
import { accessQuery, keys, manages, readRepositories, type Schemas } from "@/api/queries";
import { SeverityCounts } from "@/pages/run/SeverityCounts";
import { RunStateMark } from "@/pages/runs/columns";
import { text } from "@/texts";
import { Empty } from "@/ui/Empty";
import { FilterBar } from "@/ui/FilterBar";
import { count } from "@/ui/format";
import { ButtonLink, PageLink } from "@/ui/links";
import { Line } from "@/ui/Line";
import { ListTable, type Column } from "@/ui/ListTable";
import { Outside } from "@/ui/Outside";
import { Page } from "@/ui/Page";
import { RunLink } from "@/ui/RunLink";
import { StateMark } from "@/ui/StateMark";
import { Time } from "@/ui/Time";
import { TypedFilter } from "@/ui/TypedFilter";
import { useFilters } from "@/ui/useFilters";
import { useListing } from "@/ui/useListing";
import { readSearch } from "./route";

type Repository = Schemas["Repository"];


const columns = (tenantId: string): readonly Column<Repository>[] => [
  {
    key: "name",
    heading: text.repositories.name,
    wide: true,
    cell: (r) => (
      <>
        <Line full={`${r.owner}/${r.name}`}>
          <PageLink to="/t/$tenantId/repositories/$repositoryId" params={{ tenantId, repositoryId: r.id }}>
            <Outside says={`${r.owner}/${r.name}`} />
          </PageLink>
        </Line>
        <Line quiet>{r.private ? text.repositories.private : text.repositories.public}</Line>
      </>
    ),
  },
  { key: "reviews", heading: text.repositories.intake, cell: (r) => <Reviewed tenantId={tenantId} of={r} /> },
  {
    key: "last",
    heading: text.repositories.lastRun,
    cell: (r) =>
      r.lastRun ? (
        <Group gap="xs">
          <RunStateMark state={r.lastRun.state} />
          <RunLink tenantId={tenantId} repositoryId={r.id} runId={r.lastRun.id}>
            #{r.lastRun.pullRequest.number}, <Time at={r.lastRun.createdAt} inside />
          </RunLink>
        </Group>
      ) : (
        text.common.none
      ),
  },
  {
    key: "findings",
    heading: text.repositories.findings,
    cell: (r) =>
      r.openFindings === 0 ? (
        count(0)
      ) : (
        <Group gap="xs">
          <PageLink to="/t/$tenantId/findings" params={{ tenantId }} search={{ repository: r.id }} aria-label={text.repositories.findingsOf(r.openFindings, r.name)}>
            {count(r.openFindings)}
          </PageLink>
          <SeverityCounts of={r.openBySeverity} />
        </Group>
      ),
  },
  {
    key: "settings",
    heading: text.frame.settings,
    cell: (r) => (
      <Group gap="xs">
        <PageLink to="/t/$tenantId/repositories/$repositoryId/policy" params={{ tenantId, repositoryId: r.id }} aria-label={text.repositories.of(text.crumbs.policy, r.name)}>
          {text.crumbs.policy}
        </PageLink>
        <PageLink to="/t/$tenantId/repositories/$repositoryId/rules" params={{ tenantId, repositoryId: r.id }} aria-label={text.repositories.of(text.crumbs.rules, r.name)}>
          {text.crumbs.rules}
        </PageLink>
      </Group>
    ),
  },
];

/** Whether pull requests of a repository are reviewed, and the state of its trial until a person accepts it. */
function Reviewed({ tenantId, of: r }: { tenantId: string; of: Repository }) {
  return (
    <Stack gap={2} align="flex-start">
      {r.state === "disconnected" && <StateMark tone="bad">{text.repositories.state.disconnected}</StateMark>}
      <StateMark tone={r.policy.enabled ? "good" : "quiet"}>{r.policy.enabled ? text.repositories.on : text.repositories.off}</StateMark>
      {r.onboarding && r.onboarding !== "accepted" && (
        <PageLink to="/t/$tenantId/repositories/$repositoryId/onboarding" params={{ tenantId, repositoryId: r.id }} size="sm">
          {text.repositories.trial[r.onboarding]}
        </PageLink>
      )}
    </Stack>
  );
}

/** The repositories of the tenant that the person may see. */
export function RepositoriesPage() {
  const { tenantId } = useParams({ from: "/t/$tenantId" });
  const [search, change] = useFilters(readSearch);

  const listing = useListing(keys.tenant(tenantId, "repositories", search), (cursor, signal) => {
    const { connection, ...rest } = search;
    return readRepositories(tenantId, { ...rest, ...(connection ? { connectionId: connection } : {}) }, cursor, signal);
  });
  const { data: access } = useQuery(accessQuery(tenantId));
  const filtered = Object.keys(search).length > 0;
  const clear = (
    <ButtonLink to="/t/$tenantId/repositories" params={{ tenantId }} className="clears" variant="default">
      {text.repositories.clear}
    </ButtonLink>
  );
  const connect = access && manages(access) && (
    <ButtonLink to="/t/$tenantId/connections" params={{ tenantId }}>
      {text.frame.connections}
    </ButtonLink>
  );
  return (
    <Page title={text.repositories.title}>
      <FilterBar filters={search} change={change}>
        <TypedFilter label={text.repositories.filterName} value={search.name ?? ""} most={200} apply={(name) => change({ name })} />
        <NativeSelect
          label={text.repositories.filterState}
          autoComplete="off"
          value={search.state ?? ""}
          data={[{ value: "", label: text.common.all }, ...Object.entries(text.repositories.state).map(([value, label]) => ({ value, label }))]}
          onChange={(e) => change({ state: e.currentTarget.value })}
        />
        {search.connection !== undefined && (
          <ButtonLink to="/t/$tenantId/repositories" params={{ tenantId }} variant="default">
            {text.repositories.ofAll}
          </ButtonLink>
        )}
      </FilterBar>
      <ListTable caption={text.repositories.caption} columns={columns(tenantId)} listing={listing} rowKey={(r) => r.id} empty={<Empty says={filtered ? text.repositories.empty : text.repositories.none} action={filtered ? clear : connect} />} />
    </Page>
  );
}
