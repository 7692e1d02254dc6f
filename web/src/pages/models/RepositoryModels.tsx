import { useState } from "react";
import { Button, Group, NativeSelect, Stack, Table, Text } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { api, ok } from "@/api/client";
import { credentialsQuery, ifMatch, presetsQuery, repositoryLlmPolicyQuery, repositoryPolicyBody, requiredTiers, type ReviewTier, without } from "@/api/models";
import { keys, manages, type Schemas } from "@/api/queries";
import { text } from "@/texts";
import { routing as texts, tierNames } from "@/texts/models";
import { count, money } from "@/ui/format";
import { FormModal } from "@/ui/FormModal";
import { FormTrouble } from "@/ui/FormTrouble";
import { Loaded } from "@/ui/Loaded";
import { failed } from "@/ui/failed";
import { notice } from "@/ui/notice";
import { Outside } from "@/ui/Outside";
import { Scroll } from "@/ui/Scroll";
import { OriginMark } from "@/ui/OriginMark";
import { useServerForm } from "@/ui/useServerForm";
import { ListTrouble } from "./ListTrouble";
import { ModelField } from "./ModelField";
import { RepositoryBudget } from "./RepositoryBudget";
import { tierBody, tierValues } from "./tiers";

type Policy = Schemas["RepositoryLlmPolicy"];

interface Props {
  tenantId: string;
  repositoryId: string;
  access: Schemas["Access"] | undefined;
}

/** The effective models of one repository, and the origin of each part. */
export function RepositoryModels({ tenantId, repositoryId, access }: Props) {
  const client = useQueryClient();
  const query = useQuery(repositoryLlmPolicyQuery(tenantId, repositoryId));
  const admin = access !== undefined && manages(access);
  const credentials = useQuery({ ...credentialsQuery(tenantId), enabled: admin });
  const [edited, edit] = useState<ReviewTier>();
  const [budgeting, setBudgeting] = useState(false);
  const mine = access?.repositories.find((r) => r.repositoryId === repositoryId);
  const may = admin || (mine?.permissions.includes("repo:manage") ?? access?.more ?? false);
  const keyName = (id: string) => credentials.data?.find((c) => c.id === id)?.name ?? id;
  const fresh = () => client.invalidateQueries({ queryKey: keys.tenant(tenantId, "llm-policy") });
  const put = (p: Policy, body: Schemas["RepoLlmPolicy"]) => ok(api.PUT("/api/tenants/{tenantId}/repositories/{repositoryId}/llm-policy", { params: { path: { tenantId, repositoryId }, header: ifMatch(p) }, body }));
  const inherit = useMutation({
    mutationFn: ({ p, tier }: { p: Policy; tier: ReviewTier }) => {
      const tiers = without(p.own.tiers, tier);
      return put(p, { ...without(repositoryPolicyBody(p.own), "tiers"), ...(Object.keys(tiers).length > 0 ? { tiers } : {}) });
    },
    onSuccess: () => notice(texts.inherited),
    onError: (error) => failed(error),
    onSettled: fresh,
  });
  return (
    <Loaded query={query}>
      {(p) => (
        <Stack gap="sm">
          <Scroll label={texts.repository} width={560}>
            <Table>
              <Table.Thead>
                <Table.Tr>
                  <Table.Th scope="col">{texts.part}</Table.Th>
                  <Table.Th scope="col">{texts.holds}</Table.Th>
                  <Table.Th scope="col">{texts.from}</Table.Th>
                  {may && <Table.Th scope="col">{texts.override}</Table.Th>}
                </Table.Tr>
              </Table.Thead>
              <Table.Tbody>
                {([...requiredTiers, "panel"] as const).map((t) => {
                  const of = p.effective.tiers[t];
                  const away = t === "panel" && p.own.allowPanel === false;
                  return (
                    <Table.Tr key={t}>
                      <Table.Td>{tierNames[t]}</Table.Td>
                      <Table.Td>{of ? <Outside says={`${of.model} (${keyName(of.credentialId)})`} /> : away ? texts.panelAway : texts.noneSet}</Table.Td>
                      <Table.Td>
                        <Origin of={p.origins[t]} />
                      </Table.Td>
                      {may && (
                        <Table.Td>
                          <Group gap="xs">
                            <Button size="compact-sm" variant="default" disabled={p.selectableCredentialIds.length === 0 || away} aria-label={`${texts.override}: ${tierNames[t]}`} onClick={() => edit(t)}>
                              {texts.override}
                            </Button>
                            {t === "panel" && (of !== undefined || away) && <Switch part="allowPanel" name={tierNames.panel} policy={p} put={(body) => put(p, body)} done={() => void fresh()} />}
                            {p.own.tiers[t] && (
                              <Button size="compact-sm" variant="default" aria-label={`${texts.inherit}: ${tierNames[t]}`} loading={inherit.isPending && inherit.variables.tier === t} onClick={() => inherit.mutate({ p, tier: t })}>
                                {texts.inherit}
                              </Button>
                            )}
                          </Group>
                        </Table.Td>
                      )}
                    </Table.Tr>
                  );
                })}
                <Table.Tr>
                  <Table.Td>{texts.allowTools}</Table.Td>
                  <Table.Td>{p.effective.allowTools ? texts.toolsYes : texts.toolsNo}</Table.Td>
                  <Table.Td>
                    <Origin of={p.origins.allowTools} />
                  </Table.Td>
                  {may && <Table.Td>{(p.own.allowTools === false || p.effective.allowTools) && <Switch part="allowTools" name={texts.allowTools} policy={p} put={(body) => put(p, body)} done={() => void fresh()} />}</Table.Td>}
                </Table.Tr>
                {(["budget", "limits", "allowedRegions"] as const).map((part) => (
                  <Table.Tr key={part}>
                    <Table.Td>{texts.parts[part]}</Table.Td>
                    <Table.Td>{partOf(p.effective, part)}</Table.Td>
                    <Table.Td>
                      <Origin of={p.origins[part]} />
                    </Table.Td>
                    {may && (
                      <Table.Td>
                        {part !== "allowedRegions" && (
                          <Button size="compact-sm" variant="default" aria-label={`${texts.setOwn}: ${texts.parts[part]}`} onClick={() => setBudgeting(true)}>
                            {texts.setOwn}
                          </Button>
                        )}
                      </Table.Td>
                    )}
                  </Table.Tr>
                ))}
              </Table.Tbody>
            </Table>
          </Scroll>
          {may && p.selectableCredentialIds.length === 0 && <Text size="sm">{texts.noChoice}</Text>}
          <FormModal title={texts.budgetTitle} open={budgeting} close={() => setBudgeting(false)}>
            {() => (
              <RepositoryBudget
                key={p.version}
                own={p.own}
                put={(body) => put(p, body)}
                reload={() => void fresh()}
                done={() => {
                  setBudgeting(false);
                  void fresh();
                }}
              />
            )}
          </FormModal>
          <FormModal title={edited && `${texts.override}: ${tierNames[edited]}`} open={edited !== undefined} close={() => edit(undefined)}>
            {() => edited && (
              <Override
                key={`${edited} ${p.version}`}
                tenantId={tenantId}
                tier={edited}
                policy={p}
                keys={p.selectableCredentialIds.map((id) => ({ value: id, label: keyName(id) }))}
                lists={admin}
                put={(body) => put(p, body)}
                reload={() => void fresh()}
                done={() => {
                  edit(undefined);
                  void fresh();
                }}
              />
            )}
          </FormModal>
        </Stack>
      )}
    </Loaded>
  );
}

function Origin({ of }: { of: "repository" | "tenant" | "default" }) {
  return <OriginMark origin={of} here={of === "repository"}>{texts.origin[of]}</OriginMark>;
}

interface SwitchProps {
  part: "allowTools" | "allowPanel";
  name: string;
  policy: Policy;
  put: (body: Schemas["RepoLlmPolicy"]) => Promise<Policy>;
  done: () => void;
}

/** Forbids tool servers or the panel for reviews of one repository, or permits them again. */
function Switch({ part, name, policy, put, done }: SwitchProps) {
  const takenBack = policy.own[part] === false;
  const [take, taken] = part === "allowTools" ? [texts.toolsTake, texts.toolsTaken] : [texts.panelTake, texts.panelTaken];
  const change = useMutation({
    mutationFn: () => {
      const body = without(repositoryPolicyBody(policy.own), part);
      if (takenBack) return put(body);
      const tiers = part === "allowPanel" ? without(policy.own.tiers, "panel") : policy.own.tiers; // without the panel its tier must be absent
      return put({ ...without(body, "tiers"), ...(Object.keys(tiers).length > 0 ? { tiers } : {}), [part]: false });
    },
    onSuccess: () => notice(takenBack ? texts.inherited : taken),
    onError: (error) => failed(error),
    onSettled: done,
  });
  const does = takenBack ? texts.inherit : take;
  return (
    <Button size="compact-sm" variant="default" aria-label={`${does}: ${name}`} loading={change.isPending} onClick={() => change.mutate()}>
      {does}
    </Button>
  );
}

function partOf(p: Schemas["LlmPolicyParts"], part: "budget" | "limits" | "allowedRegions"): string {
  const cost = (micros: number | undefined) => money(micros, "USD");
  if (part === "budget") return p.budget ? texts.budgetOf(cost(p.budget.monthlyMicros) ?? "", p.budget.mode) : texts.noneSet;
  if (part === "limits") return p.limits ? texts.limit(p.limits.maxTokensPerReview === undefined ? undefined : count(p.limits.maxTokensPerReview), cost(p.limits.maxCostMicrosPerReview), cost(p.limits.maxCostMicrosPerPullRequest)) : texts.noneSet;
  return p.allowedRegions && p.allowedRegions.length > 0 ? p.allowedRegions.join(", ") : texts.noneSet;
}

interface OverrideProps {
  tenantId: string;
  tier: ReviewTier;
  policy: Policy;
  keys: { value: string; label: string }[];
  lists: boolean;
  put: (body: Schemas["RepoLlmPolicy"]) => Promise<Policy>;
  done: () => void;
  reload: () => void;
}

function Override({ tenantId, tier, policy, keys: choices, lists, put, done, reload }: OverrideProps) {
  const presets = useQuery(presetsQuery);
  const own = tierValues(policy.own.tiers[tier]);
  const { form, submit, sending, problem, conflict } = useServerForm({
    initial: { tiers: { [tier]: { ...own, credentialId: own.credentialId || (choices[0]?.value ?? "") } } as Record<ReviewTier, typeof own> },
    send: (values) => put({ ...repositoryPolicyBody(policy.own), tiers: { ...policy.own.tiers, [tier]: tierBody(values.tiers[tier]) } }),
    done,
  });
  return (
    <form onSubmit={submit}>
      <Stack>
        <FormTrouble problem={problem} conflict={conflict} reload={reload} />
        <NativeSelect label={texts.key} autoComplete="off" data={choices} {...form.getInputProps(`tiers.${tier}.credentialId`)} />
        {lists && <ListTrouble tenantId={tenantId} credentialId={form.values.tiers[tier].credentialId} />}
        <ModelField tenantId={tenantId} credentialId={form.values.tiers[tier].credentialId} label={texts.model} lists={lists} {...form.getInputProps(`tiers.${tier}.model`)} />
        {presets.data && <NativeSelect label={texts.effort} autoComplete="off" data={presets.data.efforts.map((e) => ({ value: e.id, label: e.name }))} {...form.getInputProps(`tiers.${tier}.reasoningEffort`)} />}
        <Group>
          <Button type="submit" loading={sending} disabled={form.values.tiers[tier].model.trim() === ""}>
            {text.form.save}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
