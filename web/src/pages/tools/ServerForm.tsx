import { Button, Group, NativeSelect, NumberInput, Stack, Switch, TextInput } from "@mantine/core";
import { api, ok } from "@/api/client";
import { text } from "@/texts";
import { tools as texts } from "@/texts/tools";
import { FormTrouble } from "@/ui/FormTrouble";
import { SecretField } from "@/ui/SecretField";
import { useServerForm } from "@/ui/useServerForm";
import { createBody, enteredOf, newServer, type Server, updateBody } from "./server";

interface Props {
  tenantId: string;
  /** The server to change; without it a new one is made. */
  server?: Server;
  done: () => void;
  reload: () => void;
}

/** The fields of a tool server. */
export function ServerForm({ tenantId, server, done, reload }: Props) {
  const before = server ? enteredOf(server) : newServer;
  const { form, submit, sending, problem, conflict } = useServerForm({
    initial: before,
    send: (v) =>
      server
        ? ok(api.PATCH("/api/tenants/{tenantId}/mcp-servers/{serverId}", { params: { path: { tenantId, serverId: server.id }, header: { "If-Match": `"v${server.version}"` } }, body: updateBody(before, v) }))
        : ok(api.POST("/api/tenants/{tenantId}/mcp-servers", { params: { path: { tenantId } }, body: createBody(v) })),
    done,
    saved: server ? text.form.saved : texts.added,
  });
  const { auth } = form.getValues();
  return (
    <form onSubmit={submit} noValidate>
      <Stack>
        <FormTrouble problem={problem} conflict={conflict} reload={reload} />
        <TextInput label={texts.name} required maxLength={100} autoComplete="off" {...form.getInputProps("name")} />
        <TextInput label={texts.url} description={server ? texts.urlChange : texts.urlSays} required type="url" maxLength={500} autoComplete="off" {...form.getInputProps("url")} />
        <NativeSelect label={texts.auth} autoComplete="off" data={Object.entries(texts.authKinds).map(([value, label]) => ({ value, label }))} {...form.getInputProps("auth.kind")} error={form.errors["auth.kind"] ?? form.errors["auth"]} />
        {auth.kind === "header" && <TextInput label={texts.header} required maxLength={100} autoComplete="off" {...form.getInputProps("auth.header")} />}
        {auth.kind !== "none" && (
          <SecretField label={texts.secret} required={!server?.secretSet} maxLength={4096} isSet={server?.secretSet ?? false} setAt={server?.secretUpdatedAt} {...form.getInputProps("auth.secret")} />
        )}
        <NumberInput label={texts.timeout} min={1} max={60} allowDecimal={false} hideControls autoComplete="off" {...form.getInputProps("timeoutSeconds")} />
        <Switch label={texts.enabled} {...form.getInputProps("enabled", { type: "checkbox" })} />
        <Group>
          <Button type="submit" loading={sending}>
            {server ? text.form.save : texts.add}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
