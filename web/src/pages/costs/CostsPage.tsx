import { Button, Group, NativeSelect, Stack, Text, TextInput, Title } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useParams } from "@tanstack/react-router";
import { api, ok } from "@/api/client";
import { accessQuery, keys, manages } from "@/api/queries";
import { text } from "@/texts";
import { costs as texts } from "@/texts/costs";
import { Empty } from "@/ui/Empty";
import { FilterRow } from "@/ui/FilterBar";
import { Money } from "@/ui/Figures";
import { ButtonLink } from "@/ui/links";
import { Loaded } from "@/ui/Loaded";
import { Page } from "@/ui/Page";
import { RepositoryPicker } from "@/ui/RepositoryPicker";
import { Stacks } from "@/ui/Stacks";
import { useFilters } from "@/ui/useFilters";
import { Alerts } from "./Alerts";
import { Budget } from "./Budget";
import { CostTable } from "./CostTable";
import { csv, spans, stacked } from "./figures";
import { readSearch, type CostGroup, type CostsSearch } from "./route";

/** The costs of models, by day and by a chosen group, and the budget of the month. */
export function CostsPage() {
  const { tenantId } = useParams({ from: "/t/$tenantId" });
  const [search, change] = useFilters(readSearch);
  const access = useQuery(accessQuery(tenantId));
  const filter = (to: CostsSearch) => change({ ...to });
  const admin = access.data !== undefined && manages(access.data);
  const quick = spans(new Date());
  return (
    <Page title={texts.title}>
      <FilterRow>
        <TextInput type="date" label={texts.from} autoComplete="off" value={search.from ?? quick.last30.from} max={search.to ?? quick.last30.to} onChange={(e) => filter({ from: e.currentTarget.value })} />
        <TextInput type="date" label={texts.to} autoComplete="off" value={search.to ?? quick.last30.to} min={search.from ?? quick.last30.from} onChange={(e) => filter({ to: e.currentTarget.value })} />
        <NativeSelect
          label={texts.by}
          autoComplete="off"
          value={search.by ?? "model"}
          data={Object.entries(texts.groups).map(([value, label]) => ({ value, label }))}
          onChange={(e) => filter({ by: e.currentTarget.value as CostGroup })}
        />
        <RepositoryPicker all={text.common.allRepositories} tenantId={tenantId} value={search.repository ?? ""} onChange={(repository) => filter({ repository })} />
      </FilterRow>
      <Group gap="xs" role="group" aria-label={texts.period}>
        {(["thisMonth", "lastMonth", "last30"] as const).map((k) => (
          <Button key={k} size="xs" variant="default" onClick={() => filter(quick[k])}>
            {texts[k]}
          </Button>
        ))}
      </Group>
      <Figures tenantId={tenantId} search={search} admin={admin} />
      {admin && <Alerts tenantId={tenantId} />}
    </Page>
  );
}

function Figures({ tenantId, search, admin }: { tenantId: string; search: CostsSearch; admin: boolean }) {
  const { repository, from, to } = search;
  const by = search.by ?? "model";
  const query = { groupBy: by, ...(from ? { from } : {}), ...(to ? { to } : {}) };
  const found = useQuery({
    queryKey: keys.tenant(tenantId, "costs", { by, from, to, repository }),
    queryFn: ({ signal }) =>
      repository
        ? ok(api.GET("/api/tenants/{tenantId}/repositories/{repositoryId}/analytics/costs", { params: { path: { tenantId, repositoryId: repository }, query }, signal }))
        : ok(api.GET("/api/tenants/{tenantId}/analytics/costs", { params: { path: { tenantId }, query }, signal })),
    placeholderData: (before) => before,
  });
  return (
    <Loaded query={found} lines={8}>
      {(c) => (
        <Stack>
          <section className="sheet" aria-labelledby="days">
            <Stack gap="sm">
              <Title order={2} id="days">
                {texts.total}: <Money amount={c.total.calls === 0 ? 0 : c.total.costMicros} currency={c.currency} />
              </Title>
              {c.total.calls === 0 ? (
                <Empty
                  says={texts.none}
                  action={
                    <ButtonLink to="/t/$tenantId/models" params={{ tenantId }} variant="default">
                      {texts.toRouting}
                    </ButtonLink>
                  }
                />
              ) : (
                <>
                  {c.total.unpricedCalls > 0 && <Text className="note">{c.total.costMicros === null ? texts.allUnpriced : texts.unpriced(c.total.unpricedCalls)}</Text>}
                  {c.total.estimatedCalls > 0 && <Text size="sm">{texts.estimated(c.total.estimatedCalls)}</Text>}
                  <Stacks title={texts.picture(texts.groups[c.groupBy])} {...stacked(c)} dayHeading={texts.day} totalHeading={texts.cost} />
                </>
              )}
            </Stack>
          </section>
          {c.total.calls > 0 && (
            <>
              <CostTable costs={c} />
              <Group>
                <Button variant="default" size="xs" onClick={() => download(`costs-${c.groupBy}-${c.from}-${c.to}.csv`, csv(c))}>
                  {texts.csv}
                </Button>
              </Group>
            </>
          )}
          <Budget tenantId={tenantId} repository={repository ?? ""} budget={c.budget} currency={c.currency} admin={admin} />
        </Stack>
      )}
    </Loaded>
  );
}

/** Gives a file that the page has made to the browser. */
function download(name: string, body: string): void {
  const url = URL.createObjectURL(new Blob([body], { type: "text/csv;charset=utf-8" }));
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
  URL.revokeObjectURL(url);
}
