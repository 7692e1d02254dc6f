import { Button, Group, Text } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { api, ok } from "@/api/client";
import { keys, type Schemas } from "@/api/queries";
import { channels as texts } from "@/texts/channels";
import { Card } from "@/ui/Cards";
import { CheckList } from "@/ui/CheckList";
import { confirm } from "@/ui/confirm";
import { Facts } from "@/ui/Facts";
import { ButtonLink } from "@/ui/links";
import { notice } from "@/ui/notice";
import { Time } from "@/ui/Time";
import { Trouble } from "@/ui/Trouble";
import { type Channel, type Event, stateOf } from "./channel";

const tones = { active: "good", paused: "bad", disabled: "quiet" } as const;

interface Props {
  tenantId: string;
  channel: Channel;
  edit: () => void;
  /** Shows a secret that was just made. */
  reveal: (secret: Schemas["ChannelSecret"]) => void;
  changed: () => void;
  /** It is gone, and so is what is shown of it elsewhere. */
  removing: () => void;
}

/** A channel: its target, its events, and its actions. */
export function ChannelCard({ tenantId, channel: c, edit, reveal, changed, removing }: Props) {
  const client = useQueryClient();
  const params = { path: { tenantId, channelId: c.id } };
  const state = stateOf(c);
  const test = useMutation({
    mutationFn: () => ok(api.POST("/api/tenants/{tenantId}/notification-channels/{channelId}/test", { params })),
    onSettled: () => {
      changed();
      void client.invalidateQueries({ queryKey: keys.tenant(tenantId, "channels", c.id) });
    },
  });
  const secret = useMutation({
    mutationFn: () => ok(api.POST("/api/tenants/{tenantId}/notification-channels/{channelId}/secret", { params })),
    onSuccess: (made) => {
      reveal(made);
      changed();
    },
    gcTime: 0, // a secret that is shown once is not kept
  });
  const enable = useMutation({
    mutationFn: (enabled: boolean) => ok(api.PATCH("/api/tenants/{tenantId}/notification-channels/{channelId}", { params: { ...params, header: { "If-Match": `"v${c.version}"` } }, body: { enabled } })),
    onSuccess: (_, enabled) => notice(enabled ? texts.resumed : texts.paused),
    onSettled: changed,
  });
  const remove = useMutation({
    mutationFn: () => ok(api.DELETE("/api/tenants/{tenantId}/notification-channels/{channelId}", { params })),
    onSuccess: () => {
      notice(texts.removed);
      removing();
      changed();
    },
  });
  const trouble = [test, secret, enable, remove].find((m) => m.isError)?.error;
  const makeSecret = () => (c.secretSet ? confirm({ title: texts.rotateSecret, says: texts.rotateSure, does: texts.rotateSecret, then: () => secret.mutate() }) : secret.mutate());
  return (
    <Card id={c.id} name={c.name} tone={tones[state]} state={texts.state[state]}>
      {c.pausedAt && (
        <div className="note bad outside">
          <Text size="sm">
            {texts.pausedSince} <Time at={c.pausedAt} />. {c.pausedReason}
          </Text>
        </div>
      )}
      <Facts
        of={[
          [texts.kind, texts.kinds[c.kind]],
          [texts.target, c.addresses ? c.addresses.join(", ") : c.targetHint ? <bdi key="target">{c.targetHint}</bdi> : c.targetSet && texts.targetSet],
          [texts.events, c.events.map((e) => texts.event[e as Event] ?? e).join(", ")],
          [texts.repositories, c.everyRepository ? texts.every : texts.some(c.repositoryIds?.length ?? 0)],
          [
            texts.secret,
            c.kind === "webhook" &&
              (c.secretSet && c.secretUpdatedAt ? (
                <span key="secret">
                  {texts.secretSince} <Time at={c.secretUpdatedAt} />
                </span>
              ) : (
                texts.secretNone
              )),
          ],
          [texts.secretOld, c.previousSecretUntil && <Time key="old" at={c.previousSecretUntil} />],
        ]}
      />
      {test.data && <CheckList checks={test.data.checks} />}
      {trouble && <Trouble error={trouble} />}
      <Group gap="xs">
        <Button size="xs" variant="default" loading={test.isPending} onClick={() => test.mutate()}>
          {texts.test}
        </Button>
        {c.kind === "webhook" && (
          <Button size="xs" variant="default" loading={secret.isPending} onClick={makeSecret}>
            {c.secretSet ? texts.rotateSecret : texts.makeSecret}
          </Button>
        )}
        <Button size="xs" variant="default" onClick={edit}>
          {texts.edit}
        </Button>
        <Button size="xs" variant="default" loading={enable.isPending} onClick={() => enable.mutate(state !== "active")}>
          {state === "active" ? texts.pause : texts.resume}
        </Button>
        <ButtonLink size="xs" variant="default" to="/t/$tenantId/notifications" params={{ tenantId }} search={{ messages: c.id }} aria-label={texts.messagesOf(c.name)}>
          {texts.messages}
        </ButtonLink>
        <Button size="xs" variant="default" loading={remove.isPending} onClick={() => confirm({ title: texts.removeTitle(c.name), says: texts.removeSays, does: texts.remove, then: () => remove.mutate() })}>
          {texts.remove}
        </Button>
      </Group>
    </Card>
  );
}
