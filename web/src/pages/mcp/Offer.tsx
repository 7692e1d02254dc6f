import { Button, Checkbox, Group, Stack, Switch, Text } from "@mantine/core";
import { api, ok } from "@/api/client";
import type { Schemas } from "@/api/queries";
import { text } from "@/texts";
import { mcp as texts } from "@/texts/mcp";
import { Facts } from "@/ui/Facts";
import { FormTrouble } from "@/ui/FormTrouble";
import { useServerForm } from "@/ui/useServerForm";

type Stored = Schemas["McpSettings"];

function NotInEffect({ of }: { of: Stored["notInEffect"] }) {
  return (of ?? []).map((n) => (
    <Text key={n.setting} size="sm" className="note">
      <b>{texts.notInEffect}</b> {n.note}
    </Text>
  ));
}

/** The tenant's offer, for people who may not change it. */
export function OfferView({ stored }: { stored: Stored }) {
  return (
    <Stack>
      <Text size="sm">{texts.settingsNotYours}</Text>
      <NotInEffect of={stored.notInEffect} />
      <Facts
        of={[
          [texts.enabled, stored.enabled ? texts.on : texts.off],
          [texts.allowWrites, stored.allowWrites ? texts.on : texts.off],
          [texts.tools, stored.exposedTools.length === 0 ? texts.noTools : stored.exposedTools.map((t) => texts.tool[t] ?? t).join(", ")],
        ]}
      />
    </Stack>
  );
}

interface Props {
  tenantId: string;
  stored: Stored;
  etag: string;
  reload: () => void;
}

/** The tenant's offer, for changing it. */
export function OfferForm({ tenantId, stored, etag, reload }: Props) {
  const { form, submit, sending, problem, conflict } = useServerForm({
    initial: { enabled: stored.enabled, allowWrites: stored.allowWrites, exposedTools: stored.exposedTools },
    send: (body) => ok(api.PUT("/api/tenants/{tenantId}/mcp-settings", { params: { path: { tenantId }, header: { "If-Match": etag } }, body })),
    done: reload,
  });
  const tools = [...new Set([...Object.keys(texts.tool), ...stored.exposedTools])];
  return (
    <form onSubmit={submit}>
      <Stack>
        <FormTrouble problem={problem} conflict={conflict} reload={reload} />
        <NotInEffect of={stored.notInEffect} />
        <Switch label={texts.enabled} {...form.getInputProps("enabled", { type: "checkbox" })} />
        <Switch label={texts.allowWrites} {...form.getInputProps("allowWrites", { type: "checkbox" })} />
        <Checkbox.Group label={texts.tools} {...form.getInputProps("exposedTools")} error={Object.entries(form.errors).find(([name]) => name.startsWith("exposedTools"))?.[1]}>
          <Stack gap="xs" mt="xs">
            {tools.map((t) => (
              <Checkbox key={t} value={t} label={texts.tool[t] ?? t} description={t} />
            ))}
          </Stack>
        </Checkbox.Group>
        <Group>
          <Button type="submit" loading={sending} disabled={!form.isDirty()}>
            {text.form.save}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
