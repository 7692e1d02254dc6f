import { useCallback } from "react";
import { Group, Text } from "@mantine/core";
import { useNavigate, useParams, useSearch } from "@tanstack/react-router";
import { answer, api } from "@/api/client";
import { keys, type Schemas } from "@/api/queries";
import { text } from "@/texts";
import { Empty } from "@/ui/Empty";
import { ListTable, type Column } from "@/ui/ListTable";
import { Page } from "@/ui/Page";
import { RepositoryPicker } from "@/ui/RepositoryPicker";
import { StateMark, type Tone } from "@/ui/StateMark";
import { Time } from "@/ui/Time";
import { useListing } from "@/ui/useListing";
import { useUsualRepository } from "@/ui/useUsualRepository";

type DryRun = Schemas["DryRun"];

const tones: Record<DryRun["state"], Tone> = { queued: "quiet", running: "busy", completed: "good", failed: "bad", cancelled: "quiet" };

const columns: readonly Column<DryRun>[] = [
  {
    key: "state",
    heading: text.common.state,
    cell: (d) => (
      <StateMark tone={tones[d.state]} waits={d.state === "queued"}>
        {text.dryRuns.state[d.state]}
      </StateMark>
    ),
  },
  {
    key: "label",
    heading: text.dryRuns.label,
    cell: (d) => (
      <>
        <bdi>{d.label || text.common.none}</bdi>
        {d.reason !== "" && (
          <Text size="sm" c="dimmed">
            {d.reason}
          </Text>
        )}
      </>
    ),
  },
  { key: "pulls", heading: text.dryRuns.pulls, cell: (d) => (d.last ? text.dryRuns.newest(d.last) : d.pullRequests.map((n) => `#${n}`).join(", ")) },
  { key: "made", heading: text.common.made, cell: (d) => <Time at={d.createdAt} /> },
];

/** What other settings would have made of pull requests. */
export function DryRunsPage() {
  const { tenantId } = useParams({ from: "/t/$tenantId" });
  const { repository } = useSearch({ from: "/t/$tenantId/dry-runs" });
  const navigate = useNavigate({ from: "/t/$tenantId/dry-runs" });
  const choose = useCallback((id: string) => void navigate({ search: id === "" ? {} : { repository: id }, replace: true }), [navigate]);
  useUsualRepository(tenantId, repository, choose);
  return (
    <Page title={text.dryRuns.title}>
      <Group>
        <RepositoryPicker tenantId={tenantId} value={repository ?? ""} onChange={choose} />
      </Group>
      {repository ? <DryRunList tenantId={tenantId} repositoryId={repository} /> : <Empty says={text.dryRuns.choose} />}
    </Page>
  );
}

function DryRunList({ tenantId, repositoryId }: { tenantId: string; repositoryId: string }) {
  const listing = useListing(keys.tenant(tenantId, "dry-runs", repositoryId), (cursor, signal) =>
    answer(api.GET("/api/tenants/{tenantId}/repositories/{repositoryId}/dry-runs", { params: { path: { tenantId, repositoryId }, query: cursor ? { cursor } : {} }, signal })),
  );
  return <ListTable caption={text.dryRuns.caption} columns={columns} listing={listing} rowKey={(d) => d.id} empty={<Empty says={text.dryRuns.empty} />} />;
}
