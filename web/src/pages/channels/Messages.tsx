import { Group, Stack, Title } from "@mantine/core";
import { answer, api } from "@/api/client";
import { keys, type Schemas } from "@/api/queries";
import { channels as texts } from "@/texts/channels";
import { Empty } from "@/ui/Empty";
import { ButtonLink } from "@/ui/links";
import { type Column, ListTable } from "@/ui/ListTable";
import { Outside } from "@/ui/Outside";
import { StateMark } from "@/ui/StateMark";
import { Time } from "@/ui/Time";
import { useListing } from "@/ui/useListing";
import type { Event } from "./channel";

type Message = Schemas["ChannelDelivery"];

const tones = { pending: "busy", delivered: "good", failed: "bad" } as const;

const columns: readonly Column<Message>[] = [
  { key: "at", heading: texts.at, cell: (m) => <Time at={m.createdAt} /> },
  { key: "what", heading: texts.what, cell: (m) => (m.eventId ? (texts.event[m.event as Event] ?? m.event) : texts.testMessage) },
  { key: "state", heading: texts.stateOf, cell: (m) => <StateMark tone={tones[m.state]}>{texts.outcome[m.state]}</StateMark> },
  { key: "attempts", heading: texts.attempts, cell: (m) => m.attempts, numbers: true },
  { key: "answer", heading: texts.answer, cell: (m) => m.responseCode ?? texts.noAnswer },
  { key: "next", heading: texts.next, cell: (m) => m.nextAttemptAt && <Time at={m.nextAttemptAt} /> },
  { key: "error", heading: texts.error, cell: (m) => m.error && <span className="outside"><Outside says={m.error} /></span> },
];

/** The messages sent to a channel, with their results. */
export function Messages({ tenantId, channelId, name }: { tenantId: string; channelId: string; name: string }) {
  const listing = useListing<Message>(keys.tenant(tenantId, "channels", channelId, "messages"), (cursor, signal) =>
    answer(api.GET("/api/tenants/{tenantId}/notification-channels/{channelId}/deliveries", { params: { path: { tenantId, channelId }, query: cursor ? { cursor } : {} }, signal })),
  );
  return (
    <section aria-labelledby="messages">
      <Stack gap="sm">
        <Group justify="space-between">
          <Title order={2} id="messages">
            {texts.messagesOf(name)}
          </Title>
          <ButtonLink size="xs" variant="default" to="/t/$tenantId/notifications" params={{ tenantId }} search={{}}>
            {texts.messagesClose}
          </ButtonLink>
        </Group>
        <ListTable caption={texts.messagesCaption} columns={columns} listing={listing} rowKey={(m) => m.id} empty={<Empty says={texts.messagesNone} />} />
      </Stack>
    </section>
  );
}
