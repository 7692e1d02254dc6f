import { Button, Checkbox, Group, NativeSelect, Stack, TextInput } from "@mantine/core";
import { api, ok } from "@/api/client";
import type { Schemas } from "@/api/queries";
import { mcp as texts } from "@/texts/mcp";
import { FormTrouble } from "@/ui/FormTrouble";
import { useServerForm } from "@/ui/useServerForm";

const day = 86_400_000; // in ms

/** When a token ends that is made now. A year is counted a minute short: the service takes a year at most. */
export const endOf = (days: string, now: number): string => new Date(now + Number(days) * day - 60_000).toISOString();

/** Makes a token for a program. */
export function TokenForm({ tenantId, done }: { tenantId: string; done: (token: Schemas["McpTokenMade"]) => void }) {
  const { form, submit, sending, problem, conflict } = useServerForm({
    initial: { name: "", scopes: ["repositories:read", "reviews:read"], expiresAt: "90" },
    send: (v) => ok(api.POST("/api/tenants/{tenantId}/mcp-tokens", { params: { path: { tenantId } }, body: { name: v.name.trim(), scopes: v.scopes, expiresAt: endOf(v.expiresAt, Date.now()) } })),
    done,
    saved: texts.made,
  });
  return (
    <form onSubmit={submit}>
      <Stack>
        <FormTrouble problem={problem} conflict={conflict} />
        <TextInput label={texts.name} description={texts.nameSays} required maxLength={100} autoComplete="off" {...form.getInputProps("name")} data-autofocus />
        <Checkbox.Group label={texts.scopes} required {...form.getInputProps("scopes")} error={Object.entries(form.errors).find(([name]) => name.startsWith("scopes"))?.[1]}>
          <Stack gap="xs" mt="xs">
            {Object.entries(texts.scope).map(([value, label]) => (
              <Checkbox key={value} value={value} label={label} description={value} />
            ))}
          </Stack>
        </Checkbox.Group>
        <NativeSelect label={texts.ends} autoComplete="off" data={Object.entries(texts.endsAfter).map(([value, label]) => ({ value, label }))} {...form.getInputProps("expiresAt")} />
        <Group>
          <Button type="submit" loading={sending}>
            {texts.make}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
