import { Button, Checkbox, Group, NativeSelect, NumberInput, SimpleGrid, Stack, Text, Title } from "@mantine/core";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { api, ok } from "@/api/client";
import { credentialsQuery, ifMatch, llmPolicyQuery, modelPricesQuery, policyBody, pricesQuery, requiredTiers, type Tier, without } from "@/api/models";
import type { Schemas } from "@/api/queries";
import { text } from "@/texts";
import { routing as texts, tierNames } from "@/texts/models";
import { confirm } from "@/ui/confirm";
import { FormTrouble } from "@/ui/FormTrouble";
import { failed } from "@/ui/failed";
import { notice } from "@/ui/notice";
import { useServerForm } from "@/ui/useServerForm";
import { useUnsaved } from "@/ui/useUnsaved";
import { ListTrouble } from "./ListTrouble";
import { ModelField } from "./ModelField";
import { OneModel } from "./OneModel";
import { body, lacking, valuesOf } from "./tiers";

interface Props {
  tenantId: string;
  policy: Schemas["LlmPolicy"];
  credentials: readonly Schemas["LlmCredential"][];
  presets: Schemas["LlmPresets"];
}

/** The key and model of each tier of the tenant. */
export function TiersForm({ tenantId, policy, credentials, presets }: Props) {
  const client = useQueryClient();
  const fresh = () => Promise.all([llmPolicyQuery(tenantId), pricesQuery(tenantId), credentialsQuery(tenantId)].map((q) => client.invalidateQueries({ queryKey: q.queryKey })));
  const put = (to: Schemas["TenantLlmPolicy"]) => ok(api.PUT("/api/tenants/{tenantId}/llm-policy", { params: { path: { tenantId }, header: ifMatch(policy) }, body: to }));
  const { form, submit, sending, problem, conflict } = useServerForm({
    initial: valuesOf(policy, presets.vectorSizes[0] ?? 0),
    send: (values) => put(body(policy, values)),
    done: () => void fresh(),
  });
  useUnsaved(() => form.isDirty());
  const one = credentials[0]?.id ?? "";
  const proposing = form.values.tiers.fast.credentialId || one;
  const prices = useQuery(modelPricesQuery(tenantId, proposing));
  const proposed = prices.data?.proposed;
  const listed = [...new Set([proposing, ...requiredTiers.map((t) => form.values.tiers[t].credentialId)])].filter((id) => id !== "");
  const keys = [{ value: "", label: "" }, ...credentials.map((c) => ({ value: c.id, label: c.name }))];
  const routed = policy.tiers.fast !== undefined;
  const chooseKey = (tier: Tier, id: string) => {
    form.setFieldValue(`tiers.${tier}.credentialId`, id);
    // Most tenants use one key for all tiers, so empty ones follow the first.
    for (const t of requiredTiers) if (form.values.tiers[t].credentialId === "") form.setFieldValue(`tiers.${t}.credentialId`, id);
  };
  const propose = () => {
    if (!proposed) return;
    for (const t of requiredTiers) {
      form.setFieldValue(`tiers.${t}.credentialId`, proposing);
      form.setFieldValue(`tiers.${t}.model`, proposed[t]);
    }
    notice(texts.proposed);
  };
  const saveOne = (credentialId: string, model: string) => {
    const tiers = { ...form.values.tiers };
    for (const t of requiredTiers) tiers[t] = { ...tiers[t], credentialId, model };
    return put(body(policy, { ...form.values, tiers })).then(
      () => {
        notice(texts.usesOne(model));
        return fresh().then(() => undefined);
      },
      (error: unknown) => failed(error),
    );
  };
  const wrong = lacking(form.values);
  const remove = () =>
    void put(without(policyBody(policy), "tiers")).then(
      () => {
        notice(texts.cleared);
        void fresh();
      },
      (error: unknown) => failed(error),
    );
  return (
    <form onSubmit={submit}>
      <Stack>
        <FormTrouble problem={problem} conflict={conflict} reload={() => void fresh()} />
        {listed.map((id) => (
          <ListTrouble key={id} tenantId={tenantId} credentialId={id} {...(listed.length > 1 ? { name: credentials.find((c) => c.id === id)?.name ?? id } : {})} />
        ))}
        {!routed && (
          <div className="note">
            <Stack gap="xs" align="flex-start">
              <Text>{texts.unset}</Text>
              <OneModel tenantId={tenantId} credentials={credentials} save={saveOne} />
              {proposed && (
                <>
                  <Button size="xs" onClick={propose}>
                    {texts.propose}
                  </Button>
                  <Text size="sm" c="dimmed">
                    {texts.proposeSays}
                  </Text>
                </>
              )}
              {prices.data && !proposed && (
                <Text size="sm" c="dimmed">
                  {texts.noProposal}
                </Text>
              )}
            </Stack>
          </div>
        )}
        <SimpleGrid cols={{ base: 1, md: 3 }}>
          {requiredTiers.map((tier) => (
            <fieldset key={tier} className="sheet">
              <legend>
                <Title order={3} size="h5">
                  {tierNames[tier]}
                </Title>
              </legend>
              <Stack gap="xs">
                <Text size="sm" c="dimmed">
                  {presets.tiers.find((t) => t.id === tier)?.use}
                </Text>
                {form.errors[`tiers.${tier}`] && <Text c="var(--mantine-color-error)">{form.errors[`tiers.${tier}`]}</Text>}
                <NativeSelect
                  label={texts.key}
                  autoComplete="off"
                  data={keys}
                  value={form.values.tiers[tier].credentialId}
                  error={form.errors[`tiers.${tier}.credentialId`]}
                  onChange={(e) => chooseKey(tier, e.currentTarget.value)}
                />
                <ModelField tenantId={tenantId} credentialId={form.values.tiers[tier].credentialId} label={texts.model} lists {...form.getInputProps(`tiers.${tier}.model`)} />
                <NativeSelect label={texts.effort} autoComplete="off" data={presets.efforts.map((e) => ({ value: e.id, label: e.name }))} {...form.getInputProps(`tiers.${tier}.reasoningEffort`)} />
                <NumberInput label={texts.context} description={texts.contextHelp} min={8000} max={100_000_000} allowDecimal={false} hideControls autoComplete="off" {...form.getInputProps(`tiers.${tier}.contextTokens`)} />
              </Stack>
            </fieldset>
          ))}
        </SimpleGrid>
        <Checkbox label={texts.usePanel} description={texts.panelSays} {...form.getInputProps("usePanel", { type: "checkbox" })} />
        {form.values.usePanel && (
          <fieldset className="sheet">
            <legend>
              <Title order={3} size="h5">
                {tierNames.panel}
              </Title>
            </legend>
            {form.errors["tiers.panel"] && <Text c="var(--mantine-color-error)">{form.errors["tiers.panel"]}</Text>}
            <SimpleGrid cols={{ base: 1, sm: 2 }}>
              <NativeSelect label={texts.panelKey} autoComplete="off" data={keys} {...form.getInputProps("tiers.panel.credentialId")} />
              <ModelField tenantId={tenantId} credentialId={form.values.tiers.panel.credentialId} label={texts.panelModel} lists {...form.getInputProps("tiers.panel.model")} />
              <NativeSelect label={texts.panelEffort} autoComplete="off" data={presets.efforts.map((e) => ({ value: e.id, label: e.name }))} {...form.getInputProps("tiers.panel.reasoningEffort")} />
              <NumberInput label={texts.panelContext} description={texts.contextHelp} min={8000} max={100_000_000} allowDecimal={false} hideControls autoComplete="off" {...form.getInputProps("tiers.panel.contextTokens")} />
            </SimpleGrid>
          </fieldset>
        )}
        <Checkbox label={texts.useEmbeddings} {...form.getInputProps("useEmbeddings", { type: "checkbox" })} />
        {form.values.useEmbeddings && (
          <Group align="flex-end">
            <NativeSelect label={texts.key} autoComplete="off" data={keys} {...form.getInputProps("tiers.embeddings.credentialId")} />
            <ModelField tenantId={tenantId} credentialId={form.values.tiers.embeddings.credentialId} label={texts.model} lists {...form.getInputProps("tiers.embeddings.model")} />
            <NativeSelect label={texts.vectorSize} autoComplete="off" data={presets.vectorSizes.map(String)} {...form.getInputProps("tiers.embeddings.vectorSize")} />
          </Group>
        )}
        <details>
          <summary>{texts.choices}</summary>
          <Checkbox.Group label={texts.choices} {...form.getInputProps("repositoryCredentialIds")}>
            <Stack gap={4} mt="xs">
              {credentials.map((c) => (
                <Checkbox key={c.id} value={c.id} label={c.name} />
              ))}
            </Stack>
          </Checkbox.Group>
        </details>
        <details>
          <summary>{texts.regions}</summary>
          <Checkbox.Group label={texts.regions} description={texts.regionsHelp} {...form.getInputProps("allowedRegions")}>
            <Group mt="xs">
              {presets.dataRegions.map((r) => (
                <Checkbox key={r.id} value={r.id} label={r.name} />
              ))}
            </Group>
          </Checkbox.Group>
        </details>
        <Checkbox label={texts.allowTools} description={texts.allowToolsSays} {...form.getInputProps("allowTools", { type: "checkbox" })} />
        {wrong.length > 0 && (
          <Text size="sm" role="status">
            {texts.lacks(wrong)}
          </Text>
        )}
        <Group>
          <Button type="submit" loading={sending} disabled={wrong.length > 0}>
            {text.form.save}
          </Button>
          {routed && (
            <Button variant="default" onClick={() => confirm({ title: texts.clearTitle, says: texts.clearSays, does: texts.clear, then: remove })}>
              {texts.clear}
            </Button>
          )}
        </Group>
      </Stack>
    </form>
  );
}
