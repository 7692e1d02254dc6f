import { Text } from "@mantine/core";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { answer, api, ok, type Answer } from "@/api/client";
import { keys, type Schemas } from "@/api/queries";
import { useMayManage } from "@/api/roles";
import { isAbsent } from "@/api/problem";
import { Absent } from "@/app/Absent";
import { isLocked, readSaid } from "@/pages/settings/document";
import type { Inherited } from "@/pages/settings/SettingRow";
import { readSearch } from "@/pages/settings/search";
import { SettingsForm } from "@/pages/settings/SettingsForm";
import type { Value } from "@/pages/settings/table";
import { worded } from "@/pages/settings/words";
import { policy as texts } from "@/texts/policy";
import { policyWords } from "@/texts/settings";
import { PageLink } from "@/ui/links";
import { Loaded } from "@/ui/Loaded";
import { Page } from "@/ui/Page";
import { useFilters } from "@/ui/useFilters";
import { Analysers, setting as analysers } from "./Analysers";
import { defaultsQuery, featuresQuery, policyQuery, repositoryQuery } from "./queries";
import { groups, policyTable } from "./table";

type Policy = Schemas["RepositoryPolicy"];
type Update = Schemas["RepositoryPolicyUpdate"];

const route = getRouteApi("/t/$tenantId/repositories/$repositoryId/policy");
const table = worded(policyTable, policyWords);
const names = policyTable.map((s) => s.name);

/** The value that applies if a repository does not set it: the tenant's, otherwise the product's. */
function inheritedOf(name: string, defaults: Schemas["RepositoryDefaults"], features: readonly Schemas["FeatureSetting"][]): Inherited {
  const feature = features.find((f) => f.name === name);
  if (feature && feature.origin !== "repository") return { value: (feature.value ?? null) as Value, origin: feature.origin };
  const said = readSaid(names, defaults)[name];
  return said === undefined ? { value: (feature?.default ?? null) as Value, origin: "default" } : { value: said, origin: "tenant" };
}

/** A repository's own policy, the values from its tenant, and the effective values. */
export function PolicyPage() {
  const { tenantId, repositoryId } = route.useParams();
  const repository = useQuery(repositoryQuery(tenantId, repositoryId));
  const stored = useQuery(policyQuery(tenantId, repositoryId));
  const features = useQuery(featuresQuery(tenantId, repositoryId));
  const defaults = useQuery(defaultsQuery(tenantId));
  const name = repository.data ? `${repository.data.owner}/${repository.data.name}` : "";
  if (isAbsent(repository)) return <Absent />;
  return (
    <Page title={name === "" ? texts.title : texts.titleOf(name)}>
      <Text>{texts.says}</Text>
      <PageLink to="/t/$tenantId/defaults" params={{ tenantId }}>
        {texts.toDefaults}
      </PageLink>
      <Analysers named={(features.data?.items.find((f) => f.name === analysers)?.value ?? []) as readonly string[]} />
      <Loaded query={stored} lines={10}>
        {(policy) => (
          <Loaded query={features}>
            {(all) => <Loaded query={defaults}>{(said) => <Form tenantId={tenantId} repositoryId={repositoryId} stored={policy} features={all.items} defaults={said.data} />}</Loaded>}
          </Loaded>
        )}
      </Loaded>
    </Page>
  );
}

interface Props {
  tenantId: string;
  repositoryId: string;
  stored: Answer<Policy>;
  features: readonly Schemas["FeatureSetting"][];
  defaults: Schemas["RepositoryDefaults"];
}

function Form({ tenantId, repositoryId, stored, features, defaults }: Props) {
  const client = useQueryClient();
  const [search, change] = useFilters(readSearch);
  const mayChange = useMayManage(tenantId, repositoryId);
  const at = { path: { tenantId, repositoryId } };
  return (
    <SettingsForm
      tenantId={tenantId}
      table={table}
      view={{ search, change }}
      groups={groups}
      stored={stored}
      mayChange={mayChange}
      inherited={(name) => inheritedOf(name, defaults, features)}
      lockedAbove={(name) => isLocked(defaults.locked ?? [], name)}
      send={(body, etag) => answer(api.PUT("/api/tenants/{tenantId}/repositories/{repositoryId}/policy", { params: { ...at, header: { "If-Match": etag } }, body: body as Update }))}
      read={() => client.fetchQuery({ ...policyQuery(tenantId, repositoryId), staleTime: 0 })}
      saved={(now) => {
        client.setQueryData(policyQuery(tenantId, repositoryId).queryKey, now as Answer<Policy>);
        void client.invalidateQueries({ queryKey: featuresQuery(tenantId, repositoryId).queryKey });
        void client.invalidateQueries({ queryKey: keys.tenant(tenantId, "repository", repositoryId) });
        void client.invalidateQueries({ queryKey: keys.tenant(tenantId, "effective-rules", repositoryId) });
      }}
      whatIf={(body) => ok(api.POST("/api/tenants/{tenantId}/repositories/{repositoryId}/policy/what-if", { params: at, body: body as Update }))}
    />
  );
}
