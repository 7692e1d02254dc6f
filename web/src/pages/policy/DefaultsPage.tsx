import { Text } from "@mantine/core";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { answer, api, ok, type Answer } from "@/api/client";
import { keys, type Schemas } from "@/api/queries";
import { useMayManageTenant } from "@/api/roles";
import { readSearch } from "@/pages/settings/search";
import { SettingsForm } from "@/pages/settings/SettingsForm";
import { worded } from "@/pages/settings/words";
import { policy as texts } from "@/texts/policy";
import { policyWords } from "@/texts/settings";
import { Loaded } from "@/ui/Loaded";
import { Page } from "@/ui/Page";
import { useFilters } from "@/ui/useFilters";
import { Analysers } from "./Analysers";
import { defaultsQuery } from "./queries";
import { defaultsTable, groups, policyTable } from "./table";

type Update = Schemas["RepositoryDefaultsUpdate"];

const route = getRouteApi("/t/$tenantId/defaults");
const table = worded(defaultsTable, policyWords);
const lockable = policyTable.map((s) => s.name);

/** The tenant's policy for all its repositories, and its locks. */
export function DefaultsPage() {
  const { tenantId } = route.useParams();
  const client = useQueryClient();
  const [search, change] = useFilters(readSearch);
  const mayChange = useMayManageTenant(tenantId);
  const stored = useQuery(defaultsQuery(tenantId));
  const params = { path: { tenantId } };
  return (
    <Page title={texts.defaultsTitle}>
      <Text>{texts.defaultsSays}</Text>
      <Analysers named={stored.data?.data.deterministic?.analysers ?? []} />
      <Loaded query={stored} lines={10}>
        {(defaults) => (
          <SettingsForm
            tenantId={tenantId}
            table={table}
            view={{ search, change }}
            groups={groups}
            stored={defaults}
            mayChange={mayChange}
            inherited={(name) => ({ value: table.find((s) => s.name === name)?.builtIn ?? null, origin: "default" })}
            locks={lockable}
            send={(body, etag) => answer(api.PUT("/api/tenants/{tenantId}/repository-defaults", { params: { ...params, header: { "If-Match": etag } }, body: body as Update }))}
            read={() => client.fetchQuery({ ...defaultsQuery(tenantId), staleTime: 0 })}
            saved={(now) => {
              client.setQueryData(defaultsQuery(tenantId).queryKey, now as Answer<Schemas["RepositoryDefaults"]>);
              for (const of of ["feature-settings", "repository", "effective-rules"]) void client.invalidateQueries({ queryKey: keys.tenant(tenantId, of) });
            }}
            whatIf={(body) => ok(api.POST("/api/tenants/{tenantId}/repository-defaults/what-if", { params, body: body as Update }))}
          />
        )}
      </Loaded>
    </Page>
  );
}
