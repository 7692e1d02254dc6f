import { useState } from "react";
import { Button, Group, NativeSelect, Stack, Text } from "@mantine/core";
import { api, ok } from "@/api/client";
import { ifMatch } from "@/api/models";
import type { Schemas } from "@/api/queries";
import { text } from "@/texts";
import { modelKeys as texts } from "@/texts/models";
import { FormTrouble } from "@/ui/FormTrouble";
import { useServerForm } from "@/ui/useServerForm";
import { KeyFields } from "./KeyFields";
import { createBody, emptyValues, providerOf, providers, updateBody, valuesOf, type Key, type Provider } from "./keys";

type Presets = Schemas["LlmPresets"];

interface AddProps {
  tenantId: string;
  presets: Presets;
  done: (made: Key) => void;
}

/** A new key: first the provider, then the fields that its keys have. */
export function AddKey({ tenantId, presets, done }: AddProps) {
  const all = providers(presets);
  const [chosen, choose] = useState(all[0]?.items[0]?.value ?? "");
  const of = providerOf(presets, chosen);
  return (
    <Stack>
      <NativeSelect
        label={texts.provider}
        autoComplete="off"
        value={chosen}
        data={all.map((g) => ({ group: g.group, items: g.items.map(({ value, label }) => ({ value, label })) }))}
        onChange={(e) => choose(e.currentTarget.value)}
        data-autofocus
      />
      {of?.preset?.note && (
        <div className="note">
          <Text>{of.preset.note}</Text>
        </div>
      )}
      {of && <NewKey key={of.value} tenantId={tenantId} presets={presets} of={of} done={done} />}
    </Stack>
  );
}

function NewKey({ tenantId, presets, of, done }: AddProps & { of: Provider }) {
  const { form, submit, sending, problem, conflict } = useServerForm({
    initial: emptyValues(of),
    send: (values) => ok(api.POST("/api/tenants/{tenantId}/llm-credentials", { params: { path: { tenantId } }, body: createBody(presets, of, values) })),
    saved: texts.made,
    done,
  });
  const keyOptional = of.kind === "compatible" && !(of.preset?.key ?? false);
  return (
    <form onSubmit={submit}>
      <Stack>
        <FormTrouble problem={problem} conflict={conflict} />
        <KeyFields presets={presets} kind={of.kind} form={form} keyOptional={keyOptional} />
        <Group>
          <Button type="submit" loading={sending}>
            {texts.make}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

/** Changes a key. Untouched values stay, the key itself too. */
export function EditKey({ tenantId, presets, stored, done, reload }: { tenantId: string; presets: Presets; stored: Key; done: () => void; reload: () => void }) {
  const { form, submit, sending, problem, conflict } = useServerForm({
    initial: valuesOf(stored),
    send: (values) => ok(api.PATCH("/api/tenants/{tenantId}/llm-credentials/{credentialId}", { params: { path: { tenantId, credentialId: stored.id }, header: ifMatch(stored) }, body: updateBody(presets, stored, values) })),
    done,
  });
  return (
    <form onSubmit={submit}>
      <Stack>
        <FormTrouble problem={problem} conflict={conflict} reload={reload} />
        <KeyFields presets={presets} kind={stored.kind} form={form} keyOptional={stored.kind === "compatible"} stored={stored} />
        <Group>
          <Button type="submit" loading={sending}>
            {text.form.save}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
