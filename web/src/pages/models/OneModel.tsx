import { Button, Group, NativeSelect, Stack } from "@mantine/core";
import { useState } from "react";
import type { Schemas } from "@/api/queries";
import { routing as texts } from "@/texts/models";
import { ModelField } from "./ModelField";

interface Props {
  tenantId: string;
  credentials: readonly Schemas["LlmCredential"][];
  /** Saves one key and model for every tier. */
  save: (credentialId: string, model: string) => Promise<void>;
}

/** Sets one model for all tiers: the only key is chosen already. */
export function OneModel({ tenantId, credentials, save }: Props) {
  const [credentialId, setKey] = useState(credentials.length === 1 ? (credentials[0]?.id ?? "") : "");
  const [model, setModel] = useState("");
  const [saving, setSaving] = useState(false);
  const submit = () => {
    setSaving(true);
    void save(credentialId, model.trim()).finally(() => setSaving(false));
  };
  return (
    <Stack gap="xs" w="100%" role="group" aria-label={texts.oneModel}>
      <Group align="flex-end">
        {credentials.length > 1 && (
          <NativeSelect
            label={texts.oneKey}
            autoComplete="off"
            data={[{ value: "", label: "" }, ...credentials.map((c) => ({ value: c.id, label: c.name }))]}
            value={credentialId}
            onChange={(e) => setKey(e.currentTarget.value)}
          />
        )}
        <ModelField tenantId={tenantId} credentialId={credentialId} label={texts.oneModel} lists value={model} onChange={setModel} />
        <Button onClick={submit} loading={saving} disabled={credentialId === "" || model.trim() === ""}>
          {texts.useOne}
        </Button>
      </Group>
    </Stack>
  );
}
