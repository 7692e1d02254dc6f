import { Button, Checkbox, Group, NativeSelect, Stack, Switch, TextInput } from "@mantine/core";
import { api, ok } from "@/api/client";
import { text } from "@/texts";
import { channels as texts } from "@/texts/channels";
import { FormTrouble } from "@/ui/FormTrouble";
import { entriesOf } from "@/ui/lines";
import { RepositoriesField } from "@/ui/RepositoriesField";
import { SecretField } from "@/ui/SecretField";
import { useServerForm } from "@/ui/useServerForm";
import { type Channel, createBody, enteredOf, type Event, newChannel, updateBody } from "./channel";

interface Props {
  tenantId: string;
  /** The channel to change; without it a new one is made. */
  channel?: Channel;
  done: (channel: Channel) => void;
  reload: () => void;
}

/** The fields of a channel. */
export function ChannelForm({ tenantId, channel, done, reload }: Props) {
  const before = channel ? enteredOf(channel) : newChannel;
  const { form, submit, sending, problem, conflict } = useServerForm({
    initial: before,
    send: (v) =>
      channel
        ? ok(
            api.PATCH("/api/tenants/{tenantId}/notification-channels/{channelId}", {
              params: { path: { tenantId, channelId: channel.id }, header: { "If-Match": `"v${channel.version}"` } },
              body: updateBody(before, v),
            }),
          )
        : ok(api.POST("/api/tenants/{tenantId}/notification-channels", { params: { path: { tenantId } }, body: createBody(v) })),
    done,
    saved: channel ? text.form.saved : texts.added,
  });
  const { kind, some, repositoryIds } = form.getValues();
  const of = (field: string) => Object.entries(form.errors).find(([name]) => name.startsWith(field))?.[1];
  const target = { ...form.getInputProps("target"), label: texts.target, required: !channel, maxLength: 4000 };
  return (
    <form onSubmit={submit} noValidate>
      <Stack>
        <FormTrouble problem={problem} conflict={conflict} reload={reload} />
        <TextInput label={texts.name} required maxLength={100} autoComplete="off" {...form.getInputProps("name")} />
        {!channel && <NativeSelect label={texts.kind} autoComplete="off" data={Object.entries(texts.kinds).map(([value, label]) => ({ value, label }))} {...form.getInputProps("kind")} />}
        {kind === "email" ? (
          <TextInput {...target} description={channel ? `${texts.targetMail} ${texts.targetKeeps}` : texts.targetMail} autoComplete="off" />
        ) : (
          <SecretField {...target} description={channel ? "" : texts.targetSays} isSet={channel?.targetSet ?? false} setAt={channel?.targetUpdatedAt} />
        )}
        <Checkbox.Group label={texts.events} required {...form.getInputProps("events")} error={of("events")}>
          <Stack gap="xs" mt="xs">
            {(Object.keys(texts.event) as Event[]).map((e) => (
              <Checkbox key={e} value={e} label={texts.event[e]} />
            ))}
          </Stack>
        </Checkbox.Group>
        <Switch label={texts.only} {...form.getInputProps("some", { type: "checkbox" })} />
        {some && <RepositoriesField tenantId={tenantId} label={texts.repositories} ids={entriesOf(repositoryIds)} change={(ids) => form.setFieldValue("repositoryIds", ids.join("\n"))} error={of("repositoryIds")} />}
        <Switch label={texts.enabled} {...form.getInputProps("enabled", { type: "checkbox" })} />
        <Group>
          <Button type="submit" loading={sending}>
            {channel ? text.form.save : texts.add}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
