import { Button, Group, NativeSelect, Stack, Switch, Textarea, TextInput } from "@mantine/core";
import { api, ok } from "@/api/client";
import { text } from "@/texts";
import { connections as texts } from "@/texts/connections";
import { FormTrouble } from "@/ui/FormTrouble";
import { PrivateHost } from "@/ui/PrivateHost";
import { SecretField } from "@/ui/SecretField";
import { useServerForm } from "@/ui/useServerForm";
import { built, type Connection, createBody, enteredOf, newConnection, updateBody } from "./kinds";

interface Props {
  tenantId: string;
  /** The connection to change; without it a new one is made. */
  connection?: Connection;
  done: () => void;
  reload: () => void;
}

/** The fields of a connection. An error that the host reports stands at its field. */
export function ConnectionForm({ tenantId, connection, done, reload }: Props) {
  const t = texts.form;
  const before = connection ? enteredOf(connection) : newConnection;
  const { form, submit, sending, problem, conflict } = useServerForm({
    initial: before,
    send: (v) =>
      connection
        ? ok(
            api.PATCH("/api/tenants/{tenantId}/provider-connections/{connectionId}", {
              params: { path: { tenantId, connectionId: connection.id }, header: { "If-Match": `"v${connection.version}"` } },
              body: updateBody(before, v),
            }),
          )
        : ok(api.POST("/api/tenants/{tenantId}/provider-connections", { params: { path: { tenantId } }, body: createBody(v) })),
    done,
    saved: connection ? text.form.saved : t.made,
  });
  const { kind, all } = form.getValues();
  const names = Object.entries(form.errors).find(([field]) => field.startsWith("repositories"))?.[1];
  return (
    <form onSubmit={submit} noValidate>
      <Stack>
        <FormTrouble problem={problem} conflict={conflict} reload={reload} />
        {!connection && <NativeSelect label={t.kind} autoComplete="off" data={built.map((value) => ({ value, label: texts.hosts[value] }))} {...form.getInputProps("kind")} />}
        <TextInput label={t.name} description={t.nameSays} required maxLength={100} autoComplete="off" {...form.getInputProps("name")} />
        <TextInput label={t.baseUrl} description={t.baseUrlSays[kind]} type="url" maxLength={500} autoComplete="off" {...form.getInputProps("baseUrl")} />
        <PrivateHost error={form.errors["baseUrl"]} address={form.values.baseUrl} />
        <TextInput label={t.owner[kind]} {...(connection ? { required: true } : { description: t.ownerSays })} maxLength={255} autoComplete="off" {...form.getInputProps("owner")} />
        {kind === "bitbucket-cloud" && <TextInput label={t.username} description={t.usernameSays} maxLength={255} autoComplete="off" {...form.getInputProps("username")} />}
        <SecretField
          label={t.token}
          description={connection ? t.tokenKeeps : t.tokenSays[kind]}
          required={!connection}
          maxLength={4096}
          isSet={connection?.tokenSet ?? false}
          setAt={connection?.tokenUpdatedAt}
          {...form.getInputProps("token")}
        />
        <Switch label={t.all} {...form.getInputProps("all", { type: "checkbox" })} />
        {!all && <Textarea label={t.names} description={t.namesSays} rows={4} autoComplete="off" {...form.getInputProps("repositories")} error={names} />}
        <Switch label={t.registerWebhooks} description={t.registerSays} {...form.getInputProps("registerWebhooks", { type: "checkbox" })} />
        <Group>
          <Button type="submit" loading={sending}>
            {connection ? text.form.save : t.connect}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
