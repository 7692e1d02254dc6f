import { Button, Stack, Title } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { answer, api, ok } from "@/api/client";
import { dashboardQuery, keys, type Schemas } from "@/api/queries";
import { budgets as texts } from "@/texts/costs";
import { Empty } from "@/ui/Empty";
import { Money } from "@/ui/Figures";
import { ListTable, type Column } from "@/ui/ListTable";
import { failed } from "@/ui/failed";
import { notice } from "@/ui/notice";
import { StateMark } from "@/ui/StateMark";
import { Outside } from "@/ui/Outside";
import { Time } from "@/ui/Time";
import { useListing } from "@/ui/useListing";

type Alert = Schemas["BudgetAlert"];

/** Alerts of budgets, which a person acknowledges. */
export function Alerts({ tenantId }: { tenantId: string }) {
  const client = useQueryClient();
  const key = keys.tenant(tenantId, "budget-alerts");
  const listing = useListing<Alert>(key, (cursor, signal) => answer(api.GET("/api/tenants/{tenantId}/budget-alerts", { params: { path: { tenantId }, query: cursor ? { cursor } : {} }, signal })));
  const acknowledge = useMutation({
    mutationFn: (alertId: string) => ok(api.POST("/api/tenants/{tenantId}/budget-alerts/{alertId}/acknowledge", { params: { path: { tenantId, alertId } } })),
    onSuccess: () => notice(texts.acknowledged),
    onError: (error) => failed(error),
    onSettled: () => Promise.all([client.invalidateQueries({ queryKey: key }), client.invalidateQueries({ queryKey: dashboardQuery(tenantId).queryKey })]),
  });
  const columns: readonly Column<Alert>[] = [
    { key: "threshold", heading: texts.threshold, cell: (a) => <StateMark tone={a.state === "acknowledged" ? "quiet" : a.threshold >= 100 ? "bad" : "warn"}>{`${a.threshold} %`}</StateMark> },
    { key: "what", heading: texts.what, cell: (a) => (a.repositoryId ? <RepositoryName tenantId={tenantId} repositoryId={a.repositoryId} /> : texts.tenant) },
    { key: "month", heading: texts.month, cell: (a) => a.period },
    {
      key: "spent",
      heading: texts.spent,
      numbers: true,
      cell: (a) => (
        <>
          <Money amount={a.spentMicros} currency={a.currency} /> / <Money amount={a.budgetMicros} currency={a.currency} />
        </>
      ),
    },
    { key: "when", heading: texts.when, cell: (a) => <Time at={a.createdAt} /> },
    {
      key: "act",
      heading: texts.acknowledge,
      cell: (a) =>
        a.state === "open" ? (
          <Button size="compact-sm" variant="default" loading={acknowledge.isPending && acknowledge.variables === a.id} onClick={() => acknowledge.mutate(a.id)}>
            {texts.acknowledge}
          </Button>
        ) : (
          texts.state.acknowledged
        ),
    },
  ];
  return (
    <section aria-labelledby="alerts">
      <Stack gap="sm">
        <Title order={2} id="alerts">
          {texts.alerts}
        </Title>
        <ListTable caption={texts.alertsCaption} columns={columns} listing={listing} rowKey={(a) => a.id} empty={<Empty says={texts.noAlerts} />} />
      </Stack>
    </section>
  );
}

/** The name of a repository; its id until the name is loaded, and if it is gone. */
function RepositoryName({ tenantId, repositoryId }: { tenantId: string; repositoryId: string }) {
  const found = useQuery({
    queryKey: keys.tenant(tenantId, "repository", repositoryId),
    queryFn: ({ signal }) => ok(api.GET("/api/tenants/{tenantId}/repositories/{repositoryId}", { params: { path: { tenantId, repositoryId } }, signal })),
    staleTime: 60_000,
  });
  return <Outside says={found.data ? `${found.data.owner}/${found.data.name}` : repositoryId} />;
}
