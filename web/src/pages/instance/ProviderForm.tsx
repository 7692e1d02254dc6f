import { Button, Group, Stack, Switch, Textarea, TextInput } from "@mantine/core";
import { api, ok } from "@/api/client";
import { text } from "@/texts";
import { providers as texts } from "@/texts/providers";
import { FormTrouble } from "@/ui/FormTrouble";
import { entriesOf } from "@/ui/lines";
import { SecretField } from "@/ui/SecretField";
import { TenantsField } from "@/ui/TenantPicker";
import { useServerForm } from "@/ui/useServerForm";
import { createBody, enteredOf, newProvider, type Provider, updateBody } from "./providers";

interface Props {
  /** The provider to change; without it one is entered. */
  provider?: Provider;
  done: () => void;
  reload: () => void;
}

/** The fields of an identity provider. */
export function ProviderForm({ provider, done, reload }: Props) {
  const before = provider ? enteredOf(provider) : newProvider;
  const { form, submit, sending, problem, conflict } = useServerForm({
    initial: before,
    send: (v) =>
      provider
        ? ok(api.PATCH("/api/instance/identity-providers/{identityProviderId}", { params: { path: { identityProviderId: provider.id }, header: { "If-Match": `"v${provider.version}"` } }, body: updateBody(before, v) }))
        : ok(api.POST("/api/instance/identity-providers", { body: createBody(v) })),
    done,
    saved: provider ? text.form.saved : texts.added,
  });
  const of = (field: string) => Object.entries(form.errors).find(([name]) => name.startsWith(field))?.[1];
  const { all, tenants } = form.getValues();
  return (
    <form onSubmit={submit} noValidate>
      <Stack>
        <FormTrouble problem={problem} conflict={conflict} reload={reload} />
        <TextInput label={texts.displayName} description={texts.displayNameSays} required maxLength={100} autoComplete="off" {...form.getInputProps("displayName")} />
        <TextInput label={texts.slug} description={texts.slugSays} required maxLength={40} autoComplete="off" {...form.getInputProps("slug")} />
        {!provider && <TextInput label={texts.issuer} description={texts.issuerSays} required type="url" maxLength={500} autoComplete="off" {...form.getInputProps("issuer")} />}
        <TextInput label={texts.clientId} required maxLength={500} autoComplete="off" {...form.getInputProps("clientId")} />
        <SecretField label={texts.clientSecret} required={!provider} maxLength={2000} isSet={provider?.clientSecretSet ?? false} setAt={provider?.clientSecretUpdatedAt ?? undefined} {...form.getInputProps("clientSecret")} />
        <Textarea label={texts.scopes} description={texts.scopesSays} rows={2} autoComplete="off" {...form.getInputProps("scopes")} error={of("scopes")} />
        <Switch label={texts.all} description={texts.allSays} {...form.getInputProps("all", { type: "checkbox" })} />
        {!all && <TenantsField label={texts.tenants} says={texts.tenantsSays} ids={entriesOf(tenants)} change={(ids) => form.setFieldValue("tenants", ids.join("\n"))} error={of("tenants")} />}
        <TextInput label={texts.hostUserId} description={texts.hostUserIdSays} type="url" maxLength={200} autoComplete="off" {...form.getInputProps("hostUserId.host")} error={of("hostUserId")} />
        <Switch label={texts.listed} {...form.getInputProps("listed", { type: "checkbox" })} />
        <Switch label={texts.enabled} description={texts.enabledSays} {...form.getInputProps("enabled", { type: "checkbox" })} />
        <Group>
          <Button type="submit" loading={sending}>
            {provider ? text.form.save : texts.add}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
