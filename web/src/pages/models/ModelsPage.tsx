import { Group, Stack, Table, Text, Title } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useParams } from "@tanstack/react-router";
import { credentialsQuery, llmPolicyQuery, presetsQuery, pricesQuery, requiredTiers } from "@/api/models";
import { accessQuery, manages, type Schemas } from "@/api/queries";
import { routing as texts, tierNames } from "@/texts/models";
import { Empty } from "@/ui/Empty";
import { ButtonLink } from "@/ui/links";
import { Loaded } from "@/ui/Loaded";
import { Outside } from "@/ui/Outside";
import { Page } from "@/ui/Page";
import { RepositoryPicker } from "@/ui/RepositoryPicker";
import { useFilters } from "@/ui/useFilters";
import { Scroll } from "@/ui/Scroll";
import { Prices } from "./Prices";
import { RepositoryModels } from "./RepositoryModels";
import { readSearch } from "./route";
import { TiersForm } from "./TiersForm";

/** The models for reviews: of the tenant, and of one repository. */
export function ModelsPage() {
  const { tenantId } = useParams({ from: "/t/$tenantId" });
  const [{ repository }, filter] = useFilters(readSearch);
  const access = useQuery(accessQuery(tenantId));
  const policy = useQuery(llmPolicyQuery(tenantId));
  const admin = access.data !== undefined && manages(access.data);
  return (
    <Page title={texts.title}>
      <Text>{texts.says}</Text>
      <section aria-labelledby="tenant-tiers">
        <Stack gap="sm">
          <Title order={2} id="tenant-tiers">
            {texts.tenantTiers}
          </Title>
          <Loaded query={policy} lines={6}>
            {(p) => (admin ? <Admin tenantId={tenantId} policy={p} /> : <TiersShown policy={p} />)}
          </Loaded>
        </Stack>
      </section>
      <section aria-labelledby="repository-models">
        <Stack gap="sm">
          <Title order={2} id="repository-models">
            {texts.repository}
          </Title>
          <Text size="sm">{texts.repositorySays}</Text>
          <Group>
            <RepositoryPicker tenantId={tenantId} value={repository ?? ""} onChange={(id) => filter({ repository: id })} />
          </Group>
          {repository ? <RepositoryModels key={repository} tenantId={tenantId} repositoryId={repository} access={access.data} /> : <Empty says={texts.choose} />}
        </Stack>
      </section>
    </Page>
  );
}

function Admin({ tenantId, policy }: { tenantId: string; policy: Schemas["LlmPolicy"] }) {
  const credentials = useQuery(credentialsQuery(tenantId));
  const presets = useQuery(presetsQuery);
  const prices = useQuery(pricesQuery(tenantId));
  return (
    <Stack>
      <Loaded query={credentials}>
        {(all) =>
          all.length === 0 ? (
            <Empty
              says={texts.needsKey}
              action={
                <ButtonLink to="/t/$tenantId/model-keys" params={{ tenantId }}>
                  {texts.toKeys}
                </ButtonLink>
              }
            />
          ) : (
            <Loaded query={presets}>{(known) => <TiersForm key={policy.version} tenantId={tenantId} policy={policy} credentials={all} presets={known} />}</Loaded>
          )
        }
      </Loaded>
      <section aria-labelledby="prices">
        <Stack gap="sm">
          <Title order={2} id="prices">
            {texts.prices}
          </Title>
          <Loaded query={prices}>{(list) => <Prices tenantId={tenantId} list={list} hard={policy.budget?.mode === "hard"} />}</Loaded>
        </Stack>
      </section>
    </Stack>
  );
}

/** The tiers for who cannot change them. */
function TiersShown({ policy }: { policy: Schemas["LlmPolicy"] }) {
  return (
    <Stack gap="xs">
      <Text size="sm">{texts.readOnly}</Text>
      {policy.tiers.fast === undefined ? (
        <Empty says={texts.unset} />
      ) : (
        <Scroll label={texts.tenantTiers} width={280}>
          <Table>
            <Table.Thead>
              <Table.Tr>
                <Table.Th scope="col">{texts.tier}</Table.Th>
                <Table.Th scope="col">{texts.model}</Table.Th>
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {[...requiredTiers, ...(policy.tiers.panel ? (["panel"] as const) : [])].map((t) => (
                <Table.Tr key={t}>
                  <Table.Td>{tierNames[t]}</Table.Td>
                  <Table.Td>
                    <Outside says={policy.tiers[t]?.model ?? ""} />
                  </Table.Td>
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        </Scroll>
      )}
    </Stack>
  );
}
