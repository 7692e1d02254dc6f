import { Button, Group, Text } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { api, ok } from "@/api/client";
import type { Schemas } from "@/api/queries";
import { trackers as texts } from "@/texts/trackers";
import { Card } from "@/ui/Cards";
import { confirm } from "@/ui/confirm";
import { Copyable } from "@/ui/Copyable";
import { Facts } from "@/ui/Facts";
import { notice } from "@/ui/notice";
import type { Tone } from "@/ui/StateMark";
import { Time } from "@/ui/Time";
import { Trouble } from "@/ui/Trouble";
import type { Tracker } from "./tracker";
import { TrackerTries } from "./TrackerTries";

const tones: Record<Tracker["state"], Tone> = { pending: "busy", active: "good", error: "bad", disabled: "quiet" };

interface Props {
  tenantId: string;
  tracker: Tracker;
  edit: () => void;
  /** Shows a secret that was just made. */
  reveal: (secret: Schemas["WebhookSecret"]) => void;
  changed: () => void;
}

/** A connection to an issue tracker: how it stands, and what can be done with it. */
export function TrackerCard({ tenantId, tracker: c, edit, reveal, changed }: Props) {
  const params = { path: { tenantId, connectionId: c.id } };
  const secret = useMutation({
    mutationFn: () => ok(api.POST("/api/tenants/{tenantId}/tracker-connections/{connectionId}/webhook-secret", { params })),
    onSuccess: (made) => {
      reveal(made);
      changed();
    },
    gcTime: 0, // a secret that is shown once is not kept
  });
  const enable = useMutation({
    mutationFn: (enabled: boolean) => ok(api.PATCH("/api/tenants/{tenantId}/tracker-connections/{connectionId}", { params: { ...params, header: { "If-Match": `"v${c.version}"` } }, body: { enabled } })),
    onSuccess: (_, enabled) => notice(enabled ? texts.resumed : texts.paused),
    onSettled: changed,
  });
  const remove = useMutation({
    mutationFn: () => ok(api.DELETE("/api/tenants/{tenantId}/tracker-connections/{connectionId}", { params })),
    onSuccess: () => {
      notice(texts.removed);
      changed();
    },
  });
  const trouble = [secret, enable, remove].find((m) => m.isError)?.error;
  const criteria = c.mapping.acceptanceCriteria;
  const isSet = c.auth.kind === "oauth" ? c.clientSecretSet : c.tokenSet;
  const makeSecret = () => (c.webhookSecretSet ? confirm({ title: texts.rotateSecret, says: texts.rotateSure, does: texts.rotateSecret, then: () => secret.mutate() }) : secret.mutate());
  return (
    <Card id={c.id} name={c.name} tone={tones[c.state]} state={texts.state[c.state]}>
      {c.message && <div className={c.state === "error" ? "note bad outside" : "note outside"}>{c.message}</div>}
      {texts.stateSays[c.state] !== "" && <Text size="sm">{texts.stateSays[c.state]}</Text>}
      <Facts
        of={[
          [texts.kind, texts.kinds[c.kind]],
          [texts.baseUrl, c.baseUrl],
          [texts.auth, `${texts.authKinds[c.auth.kind]}: ${isSet ? texts.set : texts.unset}`],
          [texts.email, c.auth.email && <bdi key="email">{c.auth.email}</bdi>],
          [texts.clientId, c.auth.clientId && <bdi key="client">{c.auth.clientId}</bdi>],
          [texts.projects, c.projects.length === 0 ? texts.all : c.projects.join(", ")],
          [texts.doneStates, c.mapping.doneStates.join(", ")],
          [texts.linkBack, texts.linkBackKinds[c.mapping.linkBack]],
          [texts.criteria, criteria?.field ? `${texts.criteriaKinds.field}: ${criteria.field}` : criteria?.heading ? `${texts.criteriaKinds.heading}: ${criteria.heading}` : texts.criteriaKinds.none],
          [texts.onPublic, c.mapping.allowOnPublic ? texts.onPublicKinds.whole : texts.onPublicKinds.key],
          [
            texts.webhookSecret,
            c.webhookSecretSet ? (
              <span key="secret">
                {texts.set} {c.webhookSecretUpdatedAt && <Time at={c.webhookSecretUpdatedAt} />}
              </span>
            ) : (
              texts.unset
            ),
          ],
          [texts.webhookUrl, <Copyable key="url" value={c.webhookUrl} name={texts.webhookUrl} />],
        ]}
      />
      {trouble && <Trouble error={trouble} />}
      <TrackerTries tenantId={tenantId} tracker={c} changed={changed} />
      <Group gap="xs">
        <Button size="xs" variant="default" loading={secret.isPending} onClick={makeSecret}>
          {c.webhookSecretSet ? texts.rotateSecret : texts.makeSecret}
        </Button>
        <Button size="xs" variant="default" onClick={edit}>
          {texts.edit}
        </Button>
        <Button size="xs" variant="default" loading={enable.isPending} onClick={() => enable.mutate(!c.enabled)}>
          {c.enabled ? texts.pause : texts.resume}
        </Button>
        <Button size="xs" variant="default" loading={remove.isPending} onClick={() => confirm({ title: texts.removeTitle(c.name), says: texts.removeSays, does: texts.remove, then: () => remove.mutate() })}>
          {texts.remove}
        </Button>
      </Group>
    </Card>
  );
}
