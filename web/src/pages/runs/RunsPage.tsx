import { Group, NativeSelect, NumberInput } from "@mantine/core";
import { useNavigate, useParams, useSearch } from "@tanstack/react-router";
import { answer, api } from "@/api/client";
import { keys } from "@/api/queries";
import { text } from "@/texts";
import { Empty } from "@/ui/Empty";
import { ButtonLink } from "@/ui/links";
import { ListTable } from "@/ui/ListTable";
import { Page } from "@/ui/Page";
import { RepositoryPicker } from "@/ui/RepositoryPicker";
import { useListing } from "@/ui/useListing";
import { runColumns } from "./columns";
import { readSearch, type RunsSearch } from "./route";

/** Review runs, newest first. */
export function RunsPage() {
  const { tenantId } = useParams({ from: "/t/$tenantId" });
  const search = useSearch({ from: "/t/$tenantId/runs" });
  const navigate = useNavigate({ from: "/t/$tenantId/runs" });
  const filter = (change: Record<string, unknown>) => void navigate({ search: (now) => readSearch({ ...now, ...change }), replace: true });
  return (
    <Page title={text.runs.title}>
      <Group align="flex-end">
        <RepositoryPicker tenantId={tenantId} value={search.repository ?? ""} onChange={(repository) => filter({ repository })} />
        <NativeSelect
          label={text.common.state}
          autoComplete="off"
          value={search.state ?? ""}
          data={[{ value: "", label: text.common.all }, ...Object.entries(text.runs.state).map(([value, label]) => ({ value, label }))]}
          onChange={(e) => filter({ state: e.currentTarget.value })}
        />
        <NumberInput label={text.runs.number} value={search.number ?? ""} min={1} allowDecimal={false} hideControls autoComplete="off" onChange={(number) => filter({ number })} />
      </Group>
      {search.repository ? <RunList tenantId={tenantId} {...search} repository={search.repository} /> : <Empty says={text.runs.choose} />}
    </Page>
  );
}

function RunList({ tenantId, repository, state, number }: RunsSearch & { tenantId: string; repository: string }) {
  const listing = useListing(keys.tenant(tenantId, "runs", { repository, state, number }), (cursor, signal) =>
    answer(
      api.GET("/api/tenants/{tenantId}/repositories/{repositoryId}/review-runs", {
        params: { path: { tenantId, repositoryId: repository }, query: { ...(state ? { state } : {}), ...(number ? { number } : {}), ...(cursor ? { cursor } : {}) } },
        signal,
      }),
    ),
  );
  const clear = (
    <ButtonLink to="/t/$tenantId/runs" params={{ tenantId }} search={{ repository }} variant="default">
      {text.runs.clear}
    </ButtonLink>
  );
  return <ListTable caption={text.runs.caption} columns={runColumns(tenantId)} listing={listing} rowKey={(r) => r.id} empty={<Empty says={text.runs.empty} action={state || number ? clear : undefined} />} />;
}
