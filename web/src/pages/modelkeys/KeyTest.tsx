import { useState } from "react";
import { Autocomplete, Button, Checkbox, Group, List, NativeSelect, Stack, Text } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { api, ok } from "@/api/client";
import { keyTestsQuery, modelPricesQuery, modelsQuery } from "@/api/models";
import type { Schemas } from "@/api/queries";
import { ListTrouble } from "@/pages/models/ListTrouble";
import { modelTest as texts, routing } from "@/texts/models";
import { money } from "@/ui/format";
import { Outside } from "@/ui/Outside";
import { StateMark } from "@/ui/StateMark";
import { Trouble } from "@/ui/Trouble";
import { verdict, type Key } from "./keys";
import { useRouteAll } from "./useRouteAll";

type Presets = Schemas["LlmPresets"];
type Request = Schemas["ConnectionTestRequest"];

/** A test of a key, and the tier that every tier becomes if the model works. */
interface Try {
  body: Request;
  then: Schemas["LlmTier"] | undefined;
}

/** Tests a key with a model and shows the result in words. A tenant without tiers can use the model for all of them. */
export function KeyTest({ tenantId, presets, stored, done, model = "" }: { tenantId: string; presets: Presets; stored: Key; done: () => void; model?: string }) {
  const client = useQueryClient();
  const models = useQuery(modelsQuery(tenantId, stored.id));
  const prices = useQuery(modelPricesQuery(tenantId, stored.id));
  const [entered, setModel] = useState(model);
  const [purpose, setPurpose] = useState<Request["purpose"]>("text");
  const [effort, setEffort] = useState("default");
  const [size, setSize] = useState(String(presets.vectorSizes[0] ?? ""));
  const kind = presets.kinds.find((k) => k.id === stored.kind);
  const forAll = useRouteAll(tenantId);
  const [wanted, setWanted] = useState(true);
  const offered = purpose === "text" && (forAll.offered || forAll.route.isPending);
  const proposed = prices.data?.proposed?.[forAll.offered ? "standard" : "fast"] ?? (models.data?.source === "provider" ? models.data.items[0]?.id : undefined) ?? "";
  const chosen = entered || (prices.isLoading ? "" : proposed);
  const test = useMutation({
    mutationFn: ({ body }: Try) => ok(api.POST("/api/tenants/{tenantId}/llm-credentials/{credentialId}/test", { params: { path: { tenantId, credentialId: stored.id } }, body })),
    // Here, because it also runs if the dialog was closed meanwhile.
    onSuccess: ({ checks }, { then }) => void (then && verdict(checks) !== "bad" && forAll.use(then)),
    onSettled: () => client.invalidateQueries({ queryKey: keyTestsQuery(tenantId).queryKey }),
  });
  const effortPart = effort === "default" ? {} : { reasoningEffort: effort as NonNullable<Request["reasoningEffort"]> };
  const run = () => {
    forAll.route.reset();
    setModel(chosen); // the proposal may change
    test.mutate({
      body: { model: chosen, purpose, ...(purpose === "embeddings" ? { vectorSize: Number(size) as NonNullable<Request["vectorSize"]> } : effortPart) },
      then: offered && wanted ? { credentialId: stored.id, model: chosen, ...effortPart } : undefined,
    });
  };
  return (
    <form
      onSubmit={(e) => {
        e.preventDefault();
        run();
      }}
    >
      <Stack>
        <Text size="sm">{texts.says}</Text>
        <Autocomplete
          label={texts.model}
          description={kind?.model === "deployment" ? texts.deploymentHelp : texts.modelHelp}
          data={[...new Set((models.data?.items ?? []).map((m) => m.id))]}
          value={chosen}
          onChange={setModel}
          limit={50}
          maxLength={200}
          autoComplete="off"
          required
          comboboxProps={{ withinPortal: true }}
        />
        <ListTrouble tenantId={tenantId} credentialId={stored.id} />
        {models.data?.reason && (
          <Text size="sm" c="dimmed">
            {routing.listRefused} {models.data.reason}
          </Text>
        )}
        <Group align="flex-end">
          {kind?.embeddings && (
            <NativeSelect
              label={texts.purpose}
              autoComplete="off"
              value={purpose}
              data={Object.entries(texts.purposes).map(([value, label]) => ({ value, label }))}
              onChange={(e) => setPurpose(e.currentTarget.value === "embeddings" ? "embeddings" : "text")}
            />
          )}
          {purpose === "text" ? (
            <NativeSelect label={texts.effort} autoComplete="off" value={effort} data={presets.efforts.map((e) => ({ value: e.id, label: e.name }))} onChange={(e) => setEffort(e.currentTarget.value)} />
          ) : (
            <NativeSelect label={texts.vectorSize} autoComplete="off" value={size} data={presets.vectorSizes.map(String)} onChange={(e) => setSize(e.currentTarget.value)} />
          )}
        </Group>
        {offered && (
          <Checkbox
            label={texts.useForAll}
            description={<Outside says={texts.useForAllSays(stored.endpoint, prices.data && chosen !== "" ? priced(prices.data.byId.get(chosen)) : "")} />}
            checked={wanted}
            disabled={test.isPending || forAll.route.isPending}
            onChange={(e) => setWanted(e.currentTarget.checked)}
          />
        )}
        <Group>
          <Button type="submit" loading={test.isPending || forAll.route.isPending} disabled={chosen === ""}>
            {texts.run}
          </Button>
          {test.data && !test.isPending && (
            <Button variant="default" onClick={done}>
              {texts.done}
            </Button>
          )}
        </Group>
        <div role="status" aria-live="polite">
          {test.isPending && <Text>{texts.running}</Text>}
          {test.data && <Checks checks={test.data.checks} />}
          {forAll.route.data && <Outside says={routing.usesOne(forAll.route.data)} />}
        </div>
        {forAll.route.isError && <Trouble error={forAll.route.error} />}
        {test.isError && <Trouble error={test.error} />}
      </Stack>
    </form>
  );
}

/** Returns the price of a model as a sentence. */
const priced = (price: { inputMicros: number; outputMicros: number } | undefined) => {
  const [input, output] = [money(price?.inputMicros, "USD"), money(price?.outputMicros, "USD")];
  return input && output ? texts.priceIs(routing.price(input, output)) : texts.priceUnknown;
};

/** The checks of a test with their results. */
export function Checks({ checks }: { checks: readonly Schemas["LlmCheck"][] }) {
  const comes = verdict(checks);
  return (
    <Stack gap="xs" align="flex-start">
      <StateMark tone={comes === "good" ? "good" : comes === "enough" ? "warn" : "bad"}>{texts[comes]}</StateMark>
      <List spacing="xs" listStyleType="none" p={0}>
        {checks.map((c) => (
          <List.Item key={c.name}>
            <StateMark tone={c.ok ? "good" : "bad"}>{texts.check[c.name]}</StateMark> <Outside says={c.message} />
          </List.Item>
        ))}
      </List>
    </Stack>
  );
}
