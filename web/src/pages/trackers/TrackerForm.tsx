import { Button, Checkbox, Group, NativeSelect, Stack, Switch, Textarea, TextInput } from "@mantine/core";
import { api, ok } from "@/api/client";
import { text } from "@/texts";
import { trackers as texts } from "@/texts/trackers";
import { FormTrouble } from "@/ui/FormTrouble";
import { PrivateHost } from "@/ui/PrivateHost";
import { SecretField } from "@/ui/SecretField";
import { useServerForm } from "@/ui/useServerForm";
import { createBody, enteredOf, newTracker, type Tracker, updateBody } from "./tracker";

const choices = (names: Readonly<Record<string, string>>) => Object.entries(names).map(([value, label]) => ({ value, label }));

interface Props {
  tenantId: string;
  /** The connection to change; without it a new one is made. */
  tracker?: Tracker;
  done: () => void;
  reload: () => void;
}

/** The fields of a connection to an issue tracker. */
export function TrackerForm({ tenantId, tracker, done, reload }: Props) {
  const before = tracker ? enteredOf(tracker) : newTracker;
  const { form, submit, sending, problem, conflict } = useServerForm({
    initial: before,
    send: (v) =>
      tracker
        ? ok(
            api.PATCH("/api/tenants/{tenantId}/tracker-connections/{connectionId}", {
              params: { path: { tenantId, connectionId: tracker.id }, header: { "If-Match": `"v${tracker.version}"` } },
              body: updateBody(before, v),
            }),
          )
        : ok(api.POST("/api/tenants/{tenantId}/tracker-connections", { params: { path: { tenantId } }, body: createBody(v) })),
    done,
    saved: tracker ? text.form.saved : texts.added,
  });
  const { kind, auth, mapping } = form.getValues();
  const of = (field: string) => Object.entries(form.errors).find(([name]) => name.startsWith(field))?.[1];
  const criteria = mapping.acceptanceCriteria.kind;
  return (
    <form onSubmit={submit} noValidate>
      <Stack>
        <FormTrouble problem={problem} conflict={conflict} reload={reload} />
        <NativeSelect label={texts.kind} autoComplete="off" data={choices(texts.kinds)} description={tracker ? texts.authAgain : ""} {...form.getInputProps("kind")} />
        <TextInput label={texts.name} required maxLength={100} autoComplete="off" {...form.getInputProps("name")} />
        {kind !== "linear" && <TextInput label={texts.baseUrl} description={texts.baseUrlSays[kind]} required type="url" maxLength={500} autoComplete="off" {...form.getInputProps("baseUrl")} />}
        <PrivateHost error={form.errors["baseUrl"]} address={form.values.baseUrl} />
        <NativeSelect label={texts.auth} autoComplete="off" data={choices(texts.authKinds)} {...form.getInputProps("auth.kind")} error={form.errors["auth.kind"] ?? form.errors["auth"]} />
        {auth.kind === "token" ? (
          <>
            {kind === "jira" && <TextInput label={texts.email} description={texts.emailSays} maxLength={255} autoComplete="off" {...form.getInputProps("auth.email")} />}
            <SecretField label={texts.token} required={!tracker?.tokenSet} maxLength={4096} isSet={tracker?.tokenSet ?? false} setAt={tracker?.tokenUpdatedAt} {...form.getInputProps("auth.token")} />
          </>
        ) : (
          <>
            <TextInput label={texts.clientId} required maxLength={255} autoComplete="off" {...form.getInputProps("auth.clientId")} />
            <SecretField
              label={texts.clientSecret}
              required={!tracker?.clientSecretSet}
              maxLength={1000}
              isSet={tracker?.clientSecretSet ?? false}
              setAt={tracker?.clientSecretUpdatedAt}
              {...form.getInputProps("auth.clientSecret")}
            />
          </>
        )}
        <Textarea label={texts.projects} description={texts.projectsSays} rows={3} autoComplete="off" {...form.getInputProps("projects")} error={of("projects")} />
        <Textarea label={texts.doneStates} description={texts.doneStatesSays} rows={2} autoComplete="off" {...form.getInputProps("mapping.doneStates")} error={of("mapping.doneStates")} />
        <NativeSelect label={texts.linkBack} autoComplete="off" data={choices(texts.linkBackKinds)} {...form.getInputProps("mapping.linkBack")} />
        <NativeSelect label={texts.criteria} autoComplete="off" data={choices(texts.criteriaKinds)} {...form.getInputProps("mapping.acceptanceCriteria.kind")} error={form.errors["mapping.acceptanceCriteria"]} />
        {criteria === "field" && <TextInput label={texts.criteriaField} description={texts.criteriaFieldSays} required maxLength={100} autoComplete="off" {...form.getInputProps("mapping.acceptanceCriteria.field")} />}
        {criteria === "heading" && <TextInput label={texts.criteriaHeading} required maxLength={100} autoComplete="off" {...form.getInputProps("mapping.acceptanceCriteria.heading")} />}
        <Checkbox label={texts.allowOnPublic} description={texts.allowOnPublicSays} {...form.getInputProps("mapping.allowOnPublic", { type: "checkbox" })} />
        {tracker && <SecretField label={texts.signing} description={texts.signingSays} maxLength={255} isSet={tracker.webhookSecretSet} setAt={tracker.webhookSecretUpdatedAt} {...form.getInputProps("webhookSecret")} />}
        <Switch label={texts.enabled} {...form.getInputProps("enabled", { type: "checkbox" })} />
        <Group>
          <Button type="submit" loading={sending}>
            {tracker ? text.form.save : texts.add}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
