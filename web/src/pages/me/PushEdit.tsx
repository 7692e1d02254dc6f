import { Button, Checkbox, Group, Stack, Switch, TextInput } from "@mantine/core";
import { api, ok } from "@/api/client";
import type { Schemas } from "@/api/queries";
import { text } from "@/texts";
import { push as texts } from "@/texts/push";
import { FormTrouble } from "@/ui/FormTrouble";
import { useServerForm } from "@/ui/useServerForm";

type Browser = Schemas["PushSubscription"];
type Topic = keyof typeof texts.topic;

const zone = () => Intl.DateTimeFormat().resolvedOptions().timeZone || "UTC";

const isTopic = (topic: string): topic is Topic => Object.hasOwn(texts.topic, topic);

/** The events for which a browser is notified, and its quiet hours. */
export function PushEdit({ tenantId, browser: b, done, reload }: { tenantId: string; browser: Browser; done: () => void; reload: () => Promise<void> }) {
  const { form, submit, sending, problem, conflict } = useServerForm({
    initial: {
      label: b.label,
      enabled: b.enabled,
      topics: b.topics.filter(isTopic),
      quiet: b.quietHours !== undefined,
      quietHours: b.quietHours ?? { from: "19:00", to: "08:00", timeZone: zone() },
    },
    send: ({ quiet, quietHours, ...rest }) =>
      ok(
        api.PATCH("/api/me/tenants/{tenantId}/push-subscriptions/{id}", {
          params: { path: { tenantId, id: b.id }, header: { "If-Match": `"v${b.version}"` } },
          body: { ...rest, quietHours: quiet ? quietHours : null },
        }),
      ),
    done,
  });
  const { quiet } = form.values;
  return (
    <form onSubmit={submit}>
      <Stack>
        <FormTrouble problem={problem} conflict={conflict} reload={() => void reload()} />
        <TextInput label={texts.label} maxLength={100} autoComplete="off" {...form.getInputProps("label")} />
        <Switch label={texts.enabled} {...form.getInputProps("enabled", { type: "checkbox" })} />
        <Checkbox.Group label={texts.topics} description={texts.topicsSays} {...form.getInputProps("topics")}>
          <Stack gap={6} mt="xs">
            {Object.entries(texts.topic).map(([value, name]) => (
              <Checkbox key={value} value={value} label={name} />
            ))}
          </Stack>
        </Checkbox.Group>
        <Stack gap="xs">
          <Switch label={texts.quiet} description={texts.quietSays} {...form.getInputProps("quiet", { type: "checkbox" })} />
          {quiet && (
            <Group align="flex-start" role="group" aria-label={texts.quiet}>
              <TextInput type="time" label={texts.from} autoComplete="off" {...form.getInputProps("quietHours.from")} />
              <TextInput type="time" label={texts.to} autoComplete="off" {...form.getInputProps("quietHours.to")} />
              <TextInput label={texts.zone} description={texts.zoneSays} maxLength={64} autoComplete="off" {...form.getInputProps("quietHours.timeZone")} />
            </Group>
          )}
        </Stack>
        <Group>
          <Button type="submit" loading={sending}>
            {text.form.save}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
