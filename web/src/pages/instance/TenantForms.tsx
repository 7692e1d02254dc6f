import { Button, Group, NativeSelect, Stack, Switch, Text, Textarea, TextInput } from "@mantine/core";
import { api, ok } from "@/api/client";
import type { Schemas } from "@/api/queries";
import { tenants as texts } from "@/texts/instance";
import { FormTrouble } from "@/ui/FormTrouble";
import { useServerForm } from "@/ui/useServerForm";

/** Makes a tenant. */
export function CreateTenant({ done }: { done: () => void }) {
  const { form, submit, sending, problem, conflict } = useServerForm({
    initial: { name: "", admin: true },
    send: (body) => ok(api.POST("/api/instance/tenants", { body })),
    done,
    saved: texts.created,
  });
  return (
    <form onSubmit={submit}>
      <Stack>
        <FormTrouble problem={problem} conflict={conflict} />
        <TextInput label={texts.name} required maxLength={100} autoComplete="off" {...form.getInputProps("name")} />
        <Switch label={texts.admin} {...form.getInputProps("admin", { type: "checkbox" })} />
        <Group>
          <Button type="submit" loading={sending}>
            {texts.create}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

/** Makes the person a member of a tenant, with a reason that the tenant is told. */
export function JoinTenant({ tenant, done }: { tenant: Schemas["Tenant"]; done: () => void }) {
  const { form, submit, sending, problem, conflict } = useServerForm({
    initial: { role: "member" as Schemas["TenantJoin"]["role"], reason: "" },
    send: (body) => ok(api.POST("/api/instance/tenants/{id}/join", { params: { path: { id: tenant.id } }, body })),
    done,
    saved: texts.joined,
  });
  return (
    <form onSubmit={submit}>
      <Stack>
        <FormTrouble problem={problem} conflict={conflict} />
        <Text>{texts.joinSays}</Text>
        <NativeSelect label={texts.role} autoComplete="off" data={Object.entries(texts.roles).map(([value, label]) => ({ value, label }))} {...form.getInputProps("role")} />
        <Textarea label={texts.reason} required rows={3} maxLength={500} autoComplete="off" {...form.getInputProps("reason")} />
        <Group>
          <Button type="submit" loading={sending}>
            {texts.join}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

/** Gives a waiting installation to a tenant. */
export function PlaceInstallation({ installation, tenants, done }: { installation: Schemas["Installation"]; tenants: readonly Schemas["Tenant"][]; done: () => void }) {
  const { form, submit, sending, problem, conflict } = useServerForm({
    initial: { tenantId: "" },
    send: (body) => ok(api.POST("/api/instance/installations/{installationId}/place", { params: { path: { installationId: installation.id } }, body })),
    done,
    saved: texts.placed,
  });
  return (
    <form onSubmit={submit}>
      <Stack>
        <FormTrouble problem={problem} conflict={conflict} />
        <NativeSelect
          label={texts.tenant}
          required
          autoComplete="off"
          data={[{ value: "", label: texts.choose, disabled: true }, ...tenants.map((t) => ({ value: t.id, label: t.name }))]}
          {...form.getInputProps("tenantId")}
        />
        <Group>
          <Button type="submit" loading={sending}>
            {texts.place}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
