import { Button, Group, NativeSelect, Text, VisuallyHidden } from "@mantine/core";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useParams } from "@tanstack/react-router";
import { api, ok } from "@/api/client";
import { keys, type Schemas } from "@/api/queries";
import { SeverityCounts } from "@/pages/run/SeverityCounts";
import { findings as texts } from "@/texts/findings";
import { Empty } from "@/ui/Empty";
import { FilterBar } from "@/ui/FilterBar";
import { ButtonLink, PageLink } from "@/ui/links";
import { Loaded } from "@/ui/Loaded";
import { Page } from "@/ui/Page";
import { useFilters } from "@/ui/useFilters";
import { useSteady } from "@/ui/useSteady";
import { Filters } from "./Filters";
import { FindingRows } from "./FindingRows";
import { type FindingsSearch, lastPage, pageSize, readSearch } from "./route";

const none: readonly Schemas["TenantFinding"][] = [];

const views: readonly (readonly [keyof typeof texts.views, FindingsSearch])[] = [
  ["open", {}],
  ["critical", { severity: "critical" }],
  ["mine", { mine: true }],
  ["dismissed", { state: "dismissed" }],
];

const readFindings = (tenantId: string, search: FindingsSearch, signal: AbortSignal) => {
  const { repository, page = 1, ...filter } = search;
  return ok(api.GET("/api/tenants/{tenantId}/findings", { params: { path: { tenantId }, query: { ...filter, ...(repository ? { repositoryId: repository } : {}), limit: pageSize, skip: (page - 1) * pageSize } }, signal }));
};

/** The findings of all repositories that the person may see: the open ones, the worst first. */
export function FindingsPage() {
  const { tenantId } = useParams({ from: "/t/$tenantId" });
  const [search, change] = useFilters(readSearch);
  const narrow = (to: Record<string, unknown>) => change({ page: undefined, ...to });
  const query = useQuery({ queryKey: keys.tenant(tenantId, "findings", search), queryFn: ({ signal }) => readFindings(tenantId, search, signal), placeholderData: keepPreviousData });
  const list = `${query.isPending} ${query.isPlaceholderData} ${JSON.stringify(search)}`;
  const steady = useSteady(query.data?.items ?? none, (r) => r.id, list, query.data?.counts);
  const { counts } = steady;
  const { page = 1 } = search;
  return (
    <Page title={texts.title} summary={counts && <Summary counts={counts} />} actions={<Views tenantId={tenantId} search={search} />}>
      <FilterBar filters={{ ...search, repository: undefined }} change={change}>
        <Filters tenantId={tenantId} search={search} change={narrow} />
      </FilterBar>
      <Loaded query={query} lines={8}>
        {({ counts }) => (
          <>
            <FindingRows
              key={list}
              tenantId={tenantId}
              steady={steady}
              passing={query.isPlaceholderData}
              empty={
                counts.total > 0 && page > 1 ? (
                  <Empty says={texts.pages.gone(page)} action={<Button onClick={() => change({ page: undefined })}>{texts.pages.first}</Button>} />
                ) : (
                  <NoFindings tenantId={tenantId} search={search} />
                )
              }
            />
            <Pages page={page} counts={counts} change={(to) => change({ page: to })} />
          </>
        )}
      </Loaded>
    </Page>
  );
}

/** How many findings there are, and how many of each severity. */
function Summary({ counts }: { counts: Schemas["FindingCounts"] }) {
  return (
    <Group gap="sm">
      <Text role="status">{texts.count(counts.total, counts.more)}</Text>
      {counts.total > 0 && (
        <div role="group" aria-label={texts.bySeverity}>
          <SeverityCounts of={counts.bySeverity} />
        </div>
      )}
    </Group>
  );
}

function Views({ tenantId, search }: { tenantId: string; search: FindingsSearch }) {
  return (
    <nav aria-label={texts.views.label}>
      <Group gap="md">
        {views.map(([name, to]) => (
          <PageLink key={name} to="/t/$tenantId/findings" params={{ tenantId }} search={to} activeOptions={{ exact: true }} {...(same(search, to) ? { fw: 700 } : {})}>
            {texts.views[name]}
          </PageLink>
        ))}
      </Group>
    </nav>
  );
}

/** Whether an address shows a view, on any page. */
const same = (search: FindingsSearch, view: FindingsSearch) => JSON.stringify({ ...search, page: undefined }) === JSON.stringify(view);

/** A list without findings: of the repository, or with other filters, which can be removed. */
function NoFindings({ tenantId, search }: { tenantId: string; search: FindingsSearch }) {
  const { repository } = search;
  const filtered = Object.keys(search).some((key) => !["repository", "page", "sort"].includes(key));
  return (
    <Empty
      says={search.mine ? texts.noneMine : filtered ? texts.empty : texts.none}
      action={
        <ButtonLink to={filtered ? "/t/$tenantId/findings" : "/t/$tenantId/runs"} params={{ tenantId }} search={repository === undefined ? {} : { repository }} className={filtered ? "clears" : ""} variant="default">
          {filtered ? texts.clear : texts.toRuns}
        </ButtonLink>
      }
    />
  );
}

/** The way to each page of the list. */
function Pages({ page, counts, change }: { page: number; counts: Schemas["FindingCounts"]; change: (page: number) => void }) {
  const last = Math.min(lastPage, Math.max(1, Math.ceil(counts.total / pageSize)));
  if (last === 1 && page === 1) return null;
  const choices = Array.from({ length: Math.max(last, page) }, (_, i) => String(i + 1));
  return (
    <nav aria-label={texts.pages.label}>
      <Group gap="xs">
        <Button variant="default" disabled={page <= 1} onClick={() => change(page - 1)}>
          {texts.pages.before}
        </Button>
        <NativeSelect label={<VisuallyHidden>{texts.pages.page}</VisuallyHidden>} autoComplete="off" value={String(page)} data={choices} onChange={(e) => change(Number(e.currentTarget.value))} />
        <Text size="sm">{texts.pages.of(last)}</Text>
        <Button variant="default" disabled={page >= last} onClick={() => change(page + 1)}>
          {texts.pages.next}
        </Button>
      </Group>
    </nav>
  );
}
