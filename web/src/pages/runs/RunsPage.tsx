import { useParams } from "@tanstack/react-router";
import { answer, api } from "@/api/client";
import { keys } from "@/api/queries";
import { text } from "@/texts";
import { Empty } from "@/ui/Empty";
import { FilterBar } from "@/ui/FilterBar";
import { ButtonLink } from "@/ui/links";
import { ListTable } from "@/ui/ListTable";
import { Page } from "@/ui/Page";
import { useFilters } from "@/ui/useFilters";
import { useListing } from "@/ui/useListing";
import { type AnyRun, runColumns } from "./columns";
import { Filters } from "./Filters";
import { beginning, readSearch, type RunsSearch } from "./route";

/** Review runs of all repositories that the person may see, newest first. */
export function RunsPage() {
  const { tenantId } = useParams({ from: "/t/$tenantId" });
  const [search, change] = useFilters(readSearch);
  return (
    <Page title={text.runs.title}>
      <FilterBar filters={{ ...search, repository: undefined }} change={change}>
        <Filters tenantId={tenantId} search={search} change={change} />
      </FilterBar>
      <RunList tenantId={tenantId} search={search} />
    </Page>
  );
}

function RunList({ tenantId, search }: { tenantId: string; search: RunsSearch }) {
  const { repository, state, number, madeBy, author, since, until } = search;
  const listing = useListing<AnyRun>(keys.tenant(tenantId, "runs", search), (cursor, signal) => {
    return answer(
      api.GET("/api/tenants/{tenantId}/review-runs", {
        params: {
          path: { tenantId },
          query: { ...(state ? { state } : {}), ...(cursor ? { cursor } : {}), ...(number ? { number } : {}), ...(repository ? { repositoryId: repository } : {}), ...(madeBy ? { madeBy } : {}), ...(author ? { author } : {}), ...(since ? { since: beginning(since) } : {}), ...(until ? { until: beginning(until, 1) } : {}) },
        },
        signal,
      }),
    );
  });
  const filtered = Object.keys(search).some((key) => key !== "repository");
  const clear = (
    <ButtonLink to="/t/$tenantId/runs" params={{ tenantId }} search={repository === undefined ? {} : { repository }} className="clears" variant="default">
      {text.runs.clear}
    </ButtonLink>
  );
  const repositories = (
    <ButtonLink to="/t/$tenantId/repositories" params={{ tenantId }} variant="default">
      {text.runs.toRepositories}
    </ButtonLink>
  );
  return (
    <ListTable steady caption={text.runs.caption} columns={runColumns(tenantId)} listing={listing} rowKey={(r) => r.id} empty={<Empty says={filtered ? text.runs.empty : text.runs.none} action={filtered ? clear : repositories} />} />
  );
}
