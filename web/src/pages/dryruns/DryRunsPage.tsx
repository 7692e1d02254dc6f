import { useCallback, useState } from "react";
import { Button, Group, Text } from "@mantine/core";
import { useParams } from "@tanstack/react-router";
import { answer, api } from "@/api/client";
import { keys } from "@/api/queries";
import { useMayManage } from "@/api/roles";
import { type DryRun, dryRunGoesOn, dryRunPause } from "@/pages/dryrun/queries";
import { DryRunMark } from "@/pages/dryrun/state";
import { text } from "@/texts";
import { dryRun as texts } from "@/texts/dryrun";
import { Empty } from "@/ui/Empty";
import { FilterRow } from "@/ui/FilterBar";
import { FormModal } from "@/ui/FormModal";
import { PageLink } from "@/ui/links";
import { ListTable, type Column } from "@/ui/ListTable";
import { Outside } from "@/ui/Outside";
import { Page } from "@/ui/Page";
import { RepositoryPicker } from "@/ui/RepositoryPicker";
import { Time } from "@/ui/Time";
import { useListing } from "@/ui/useListing";
import { useUsualRepository } from "@/ui/useUsualRepository";
import { useFilters } from "@/ui/useFilters";
import { BeginForm } from "./BeginForm";
import { readSearch } from "./route";

const columns = (tenantId: string, repositoryId: string): readonly Column<DryRun>[] => [
  { key: "state", heading: text.common.state, cell: (d) => <DryRunMark state={d.state} /> },
  {
    key: "label",
    heading: text.dryRuns.label,
    cell: (d) => (
      <>
        <PageLink to="/t/$tenantId/repositories/$repositoryId/dry-runs/$dryRunId" params={{ tenantId, repositoryId, dryRunId: d.id }}>
          <Outside says={d.label || text.dryRuns.unnamed} />
        </PageLink>
        {d.reason !== "" && (
          <Text size="sm" c="dimmed">
            {d.reason}
          </Text>
        )}
      </>
    ),
  },
  { key: "pulls", heading: text.dryRuns.pulls, cell: (d) => (d.last ? text.dryRuns.newest(d.last) : d.pullRequests.map((n) => `#${n}`).join(", ")) },
  {
    key: "came",
    heading: text.dryRuns.came,
    cell: (d) => (d.result && d.result.totals.compared > 0 ? text.dryRuns.cameOf(d.result.totals.new, d.result.totals.gone, d.result.totals.changed) : text.common.none),
  },
  { key: "made", heading: text.common.made, cell: (d) => <Time at={d.createdAt} /> },
];

/** Trials of pull requests with other settings. */
export function DryRunsPage() {
  const { tenantId } = useParams({ from: "/t/$tenantId" });
  const [{ repository }, filter] = useFilters(readSearch);
  const choose = useCallback((id: string) => filter({ repository: id }), [filter]);
  useUsualRepository(tenantId, repository, choose);
  return (
    <Page title={text.dryRuns.title}>
      <FilterRow>
        <RepositoryPicker tenantId={tenantId} value={repository ?? ""} onChange={choose} />
      </FilterRow>
      {repository ? <DryRunList key={repository} tenantId={tenantId} repositoryId={repository} /> : <Empty says={text.dryRuns.choose} />}
    </Page>
  );
}

/** The dry runs of a repository, read again while one of them goes on, and the way to begin another. */
export function DryRunList({ tenantId, repositoryId }: { tenantId: string; repositoryId: string }) {
  const [begins, setBegins] = useState(false);
  const mayManage = useMayManage(tenantId, repositoryId);
  const listing = useListing<DryRun>(
    keys.tenant(tenantId, "dry-runs", repositoryId),
    (cursor, signal) => answer(api.GET("/api/tenants/{tenantId}/repositories/{repositoryId}/dry-runs", { params: { path: { tenantId, repositoryId }, query: cursor ? { cursor } : {} }, signal })),
    (items) => (items.some((d) => dryRunGoesOn(d.state)) ? dryRunPause : false),
  );
  const begin = mayManage ? (
    <Button variant="default" onClick={() => setBegins(true)}>
      {texts.begin}
    </Button>
  ) : (
    <Text size="sm">{texts.mayNot}</Text>
  );
  return (
    <>
      {listing.items.length > 0 && <Group>{begin}</Group>}
      <ListTable caption={text.dryRuns.caption} columns={columns(tenantId, repositoryId)} listing={listing} rowKey={(d) => d.id} empty={<Empty says={text.dryRuns.empty} action={begin} />} />
      <FormModal title={texts.beginTitle} open={begins} close={() => setBegins(false)}>
        {() => <BeginForm tenantId={tenantId} repositoryId={repositoryId} />}
      </FormModal>
    </>
  );
}
