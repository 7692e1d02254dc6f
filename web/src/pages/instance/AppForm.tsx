import { Button, Group, NumberInput, Stack, Text, Textarea, TextInput } from "@mantine/core";
import { api, ok } from "@/api/client";
import { text } from "@/texts";
import { apps as texts } from "@/texts/apps";
import { FormTrouble } from "@/ui/FormTrouble";
import { PrivateHost } from "@/ui/PrivateHost";
import { SecretField } from "@/ui/SecretField";
import { useServerForm } from "@/ui/useServerForm";
import { type App, createBody, enteredOf, newApp, updateBody } from "./apps";

interface Props {
  /** The app to change; without it one is entered. */
  app?: App;
  done: () => void;
  reload: () => void;
}

/** The fields of an app for a code host. */
export function AppForm({ app, done, reload }: Props) {
  const before = app ? enteredOf(app) : newApp;
  const { form, submit, sending, problem, conflict } = useServerForm({
    initial: before,
    send: (v) =>
      app
        ? ok(api.PATCH("/api/instance/codehost-apps/{providerAppId}", { params: { path: { providerAppId: app.id }, header: { "If-Match": `"v${app.version}"` } }, body: updateBody(before, v) }))
        : ok(api.POST("/api/instance/codehost-apps", { body: createBody(v) })),
    done,
    saved: app ? text.form.saved : texts.added,
  });
  return (
    <form onSubmit={submit} noValidate>
      <Stack>
        <FormTrouble problem={problem} conflict={conflict} reload={reload} />
        <Text size="sm">{app ? texts.keeps : texts.addSays}</Text>
        <TextInput label={texts.baseUrl} description={app ? "" : texts.baseUrlSays} type="url" maxLength={300} autoComplete="off" {...form.getInputProps("baseUrl")} />
        <PrivateHost error={form.errors["baseUrl"]} address={form.values.baseUrl} />
        <NumberInput label={texts.appId} required min={1} allowDecimal={false} hideControls autoComplete="off" {...form.getInputProps("appId")} />
        <TextInput label={texts.clientId} required maxLength={100} autoComplete="off" {...form.getInputProps("clientId")} />
        <TextInput label={texts.slug} description={app ? "" : texts.slugSays} maxLength={100} autoComplete="off" {...form.getInputProps("slug")} />
        <Textarea label={texts.privateKey} description={app?.privateKeySet ? texts.set : texts.privateKeySays} required={!app} rows={4} maxLength={16_384} autoComplete="off" spellCheck={false} {...form.getInputProps("privateKey")} />
        <SecretField
          label={texts.webhookSecret}
          description={texts.webhookSecretSays}
          required={!app}
          maxLength={200}
          isSet={app?.webhookSecretSet ?? false}
          setAt={app?.webhookSecretUpdatedAt}
          {...form.getInputProps("webhookSecret")}
        />
        <SecretField label={texts.clientSecret} required={!app} maxLength={200} isSet={app?.clientSecretSet ?? false} setAt={app?.clientSecretUpdatedAt} {...form.getInputProps("clientSecret")} />
        {app && (
          <SecretField label={texts.nextSecret} description={texts.nextSecretSays} maxLength={200} isSet={app.nextWebhookSecretSet} setAt={app.nextWebhookSecretUpdatedAt} {...form.getInputProps("nextWebhookSecret")} />
        )}
        <Group>
          <Button type="submit" loading={sending}>
            {app ? text.form.save : texts.add}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
