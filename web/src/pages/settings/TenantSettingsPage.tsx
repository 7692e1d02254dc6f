import { Text } from "@mantine/core";
import { useQuery, useQueryClient, queryOptions } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { answer, api, ok, type Answer } from "@/api/client";
import { keys, type Schemas } from "@/api/queries";
import { useMayManageTenant } from "@/api/roles";
import { tenantSettings as texts } from "@/texts/tenantSettings";
import { tenantWords } from "@/texts/settings";
import { PageLink } from "@/ui/links";
import { Loaded } from "@/ui/Loaded";
import { Page } from "@/ui/Page";
import { SettingsForm } from "./SettingsForm";
import { groupsOf, tenantTable } from "./tenantTable";
import { worded } from "./words";

type Stored = Schemas["TenantSettings"];

const route = getRouteApi("/t/$tenantId/settings");
const table = worded(tenantTable, tenantWords);

const settingsQuery = (tenantId: string) =>
  queryOptions({
    queryKey: keys.tenant(tenantId, "settings"),
    queryFn: async ({ signal }) => whole(await answer(api.GET("/api/tenants/{tenantId}/settings", { params: { path: { tenantId } }, signal }))),
  });

/** The settings, including those that the service leaves out because they have no value. */
const whole = (a: Answer<Stored>): Answer<Stored> => ({ ...a, data: { monthlyBudgetMicros: 0, requiredIdentityProviderId: "", ...a.data } });

/** The request body, without settings that have no value. */
const sent = (body: Record<string, unknown>): Schemas["TenantSettingsUpdate"] => Object.fromEntries(Object.entries(body).filter(([name, value]) => !(name === "requiredIdentityProviderId" && value === "") && !(name === "monthlyBudgetMicros" && value === 0))) as Schemas["TenantSettingsUpdate"];

/** The settings of a tenant. */
export function TenantSettingsPage() {
  const { tenantId } = route.useParams();
  const client = useQueryClient();
  const mayChange = useMayManageTenant(tenantId);
  const stored = useQuery(settingsQuery(tenantId));
  const params = { path: { tenantId } };
  const providers = useQuery({
    queryKey: keys.tenant(tenantId, "identity-providers", "names"),
    queryFn: ({ signal }) => ok(api.GET("/api/tenants/{tenantId}/identity-providers", { params, signal })),
    enabled: mayChange,
  });
  return (
    <Page title={texts.title}>
      <Text>{texts.says}</Text>
      {mayChange && (
        <Text>
          {texts.budget}{" "}
          <PageLink to="/t/$tenantId/costs" params={{ tenantId }} hash="budget">
            {texts.toBudget}
          </PageLink>
        </Text>
      )}
      <Loaded query={stored} lines={8}>
        {(settings) => (
          <SettingsForm
            tenantId={tenantId}
            table={table}
            groups={groupsOf(settings.data)}
            stored={settings}
            mayChange={mayChange}
            listed={(providers.data?.items ?? []).map((p) => ({ id: p.id, name: p.name }))}
            send={async (body, etag) => whole(await answer(api.PUT("/api/tenants/{tenantId}/settings", { params: { ...params, header: { "If-Match": etag } }, body: sent(body) })))}
            read={() => client.fetchQuery({ ...settingsQuery(tenantId), staleTime: 0 })}
            saved={(now) => {
              client.setQueryData(settingsQuery(tenantId).queryKey, now as Answer<Stored>);
              void client.invalidateQueries({ queryKey: ["me", "tenants"] });
            }}
          />
        )}
      </Loaded>
    </Page>
  );
}
