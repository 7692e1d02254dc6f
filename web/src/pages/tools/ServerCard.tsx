import { Button, Group } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { api, ok } from "@/api/client";
import { tools as texts } from "@/texts/tools";
import { Card } from "@/ui/Cards";
import { confirm } from "@/ui/confirm";
import { Facts } from "@/ui/Facts";
import { ButtonLink } from "@/ui/links";
import { notice } from "@/ui/notice";
import type { Tone } from "@/ui/StateMark";
import { Time } from "@/ui/Time";
import { Trouble } from "@/ui/Trouble";
import type { Server } from "./server";
import { Tools } from "./Tools";

const tones: Record<Server["state"], Tone> = { pending: "busy", active: "good", error: "bad", disabled: "quiet" };

interface Props {
  tenantId: string;
  server: Server;
  edit: () => void;
  /** Something has changed, so that it is read again. */
  changed: () => void;
  /** It is gone, and so is what is shown of it elsewhere. */
  removing: () => void;
}

/** A tool server: how it stands, what it offers, and what can be done with it. */
export function ServerCard({ tenantId, server: s, edit, changed, removing }: Props) {
  const params = { path: { tenantId, serverId: s.id } };
  const discover = useMutation({ mutationFn: () => ok(api.POST("/api/tenants/{tenantId}/mcp-servers/{serverId}/discover", { params })), onSettled: changed });
  const enable = useMutation({
    mutationFn: (enabled: boolean) => ok(api.PATCH("/api/tenants/{tenantId}/mcp-servers/{serverId}", { params: { ...params, header: { "If-Match": `"v${s.version}"` } }, body: { enabled } })),
    onSuccess: (_, enabled) => notice(enabled ? texts.resumed : texts.paused),
    onSettled: changed,
  });
  const remove = useMutation({
    mutationFn: () => ok(api.DELETE("/api/tenants/{tenantId}/mcp-servers/{serverId}", { params })),
    onSuccess: () => {
      notice(texts.removed);
      removing();
      changed();
    },
  });
  const trouble = [discover, enable, remove].find((m) => m.isError)?.error;
  return (
    <Card id={s.id} name={s.name} tone={tones[s.state]} state={texts.state[s.state]}>
      {s.message && <div className={s.state === "error" ? "note bad outside" : "note outside"}>{s.message}</div>}
      <Facts
        of={[
          [texts.url, s.url],
          [texts.auth, s.auth.header ? <bdi key="auth">{`${texts.authKinds[s.auth.kind]}: ${s.auth.header}`}</bdi> : texts.authKinds[s.auth.kind]],
          [texts.secret, s.auth.kind !== "none" && (s.secretSet ? texts.secretSet : texts.secretNone)],
          [texts.timeout, texts.timeoutOf(s.timeoutSeconds)],
          [texts.discovered, s.discoveredAt ? <Time key="discovered" at={s.discoveredAt} /> : texts.never],
          [texts.tools, s.discoveredAt && s.tools.length === 0 && texts.toolsNone],
        ]}
      />
      {s.tools.length > 0 && <Tools key={s.version} tenantId={tenantId} server={s} changed={changed} />}
      {trouble && <Trouble error={trouble} />}
      <Group gap="xs">
        <Button size="xs" variant="default" loading={discover.isPending} disabled={!s.enabled} onClick={() => discover.mutate()}>
          {texts.discover}
        </Button>
        <Button size="xs" variant="default" onClick={edit}>
          {texts.edit}
        </Button>
        <Button size="xs" variant="default" loading={enable.isPending} onClick={() => enable.mutate(!s.enabled)}>
          {s.enabled ? texts.pause : texts.resume}
        </Button>
        <ButtonLink size="xs" variant="default" to="/t/$tenantId/mcp-servers" params={{ tenantId }} search={{ calls: s.id }} aria-label={texts.callsOf(s.name)}>
          {texts.calls}
        </ButtonLink>
        <Button size="xs" variant="default" loading={remove.isPending} onClick={() => confirm({ title: texts.removeTitle(s.name), says: texts.removeSays, does: texts.remove, then: () => remove.mutate() })}>
          {texts.remove}
        </Button>
      </Group>
    </Card>
  );
}
