import { useState } from "react";
import { Button, Group, List, Stack, Text, Title } from "@mantine/core";
import { useMutation, useQuery } from "@tanstack/react-query";
import { api, ok } from "@/api/client";
import { keys, type Schemas } from "@/api/queries";
import { hostAccounts } from "@/texts/hostAccounts";
import { connections as texts } from "@/texts/connections";
import { CheckList } from "@/ui/CheckList";
import { confirm } from "@/ui/confirm";
import { Copyable } from "@/ui/Copyable";
import { Facts } from "@/ui/Facts";
import { JobProgress } from "@/ui/JobProgress";
import { PageLink } from "@/ui/links";
import { notice } from "@/ui/notice";
import { Outside } from "@/ui/Outside";
import { StateMark, type Tone } from "@/ui/StateMark";
import { Time, useNow } from "@/ui/Time";
import { Trouble } from "@/ui/Trouble";
import { type Connection, isBuilt } from "./kinds";

const tones: Record<Connection["state"], Tone> = { pending: "busy", active: "good", error: "bad", disabled: "quiet" };

interface Props {
  tenantId: string;
  connection: Connection;
  edit: () => void;
  /** Shows a secret that was just made. */
  reveal: (secret: Schemas["WebhookSecret"]) => void;
  /** Something has changed, so that it is read again. */
  changed: () => void;
}

/** A connection to a code host: how it stands, and what can be done with it. */
export function ConnectionCard({ tenantId, connection: c, edit, reveal, changed }: Props) {
  const [job, setJob] = useState("");
  const params = { path: { tenantId, connectionId: c.id } };
  const test = useMutation({ mutationFn: () => ok(api.POST("/api/tenants/{tenantId}/provider-connections/{connectionId}/test", { params })), onSettled: changed });
  const sync = useMutation({ mutationFn: () => ok(api.POST("/api/tenants/{tenantId}/provider-connections/{connectionId}/sync", { params })), onSuccess: (made) => setJob(made.id) });
  const secret = useMutation({
    mutationFn: () => ok(api.POST("/api/tenants/{tenantId}/provider-connections/{connectionId}/webhook-secret", { params })),
    onSuccess: (made) => {
      reveal(made);
      changed();
    },
    gcTime: 0, // a secret that is shown once is not kept
  });
  const enable = useMutation({
    mutationFn: (enabled: boolean) => ok(api.PATCH("/api/tenants/{tenantId}/provider-connections/{connectionId}", { params: { ...params, header: { "If-Match": `"v${c.version}"` } }, body: { enabled } })),
    onSuccess: (_, enabled) => notice(enabled ? texts.resumed : texts.paused),
    onSettled: changed,
  });
  const remove = useMutation({
    mutationFn: () => ok(api.DELETE("/api/tenants/{tenantId}/provider-connections/{connectionId}", { params })),
    onSuccess: () => {
      notice(texts.removed);
      changed();
    },
  });
  const people = useQuery({ queryKey: keys.tenant(tenantId, "provider-connections", c.id, "people"), queryFn: ({ signal }) => ok(api.GET("/api/tenants/{tenantId}/provider-connections/{connectionId}/people", { params, signal })) });
  const trouble = [test, sync, secret, enable, remove].find((m) => m.isError)?.error;
  const ends = c.tokenExpiresAt;
  const known = c.lastSync?.counts["repositories"];
  const makeSecret = () => (c.webhookSecretSet ? confirm({ title: texts.rotateSecret, says: texts.rotateSure, does: texts.rotateSecret, then: () => secret.mutate() }) : secret.mutate());
  return (
    <section className="sheet" aria-labelledby={c.id}>
      <Stack gap="sm">
        <Group justify="space-between" align="flex-start">
          <Title order={3} size="h4" id={c.id}>
            <Outside says={c.name} />
          </Title>
          <StateMark tone={tones[c.state]}>{texts.state[c.state]}</StateMark>
        </Group>
        {c.message && <div className={c.state === "error" ? "note bad" : "note"}>{c.message}</div>}
        {texts.stateSays[c.state] !== "" && <Text size="sm">{texts.stateSays[c.state]}</Text>}
        <Facts
          of={[
            [texts.form.kind, texts.hosts[c.kind]],
            [texts.address, c.baseUrl],
            [texts.owner, <bdi key="owner">{c.owner}</bdi>],
            [texts.reaches, c.repositories === "all" ? texts.all : (c.repositories as string[]).join(", ")],
            [texts.token, c.tokenSet ? <TokenSince key="token" connection={c} /> : texts.tokenMissing],
            [texts.tokenEnds, ends !== undefined && <TokenEnd key="end" at={ends} />],
            [texts.username, c.username ?? ""],
            [texts.registers, c.registerWebhooks ? texts.registered : texts.byHand],
            [texts.secret, c.webhookSecretSet ? c.webhookSecretUpdatedAt && <Since says={texts.secretSet} at={c.webhookSecretUpdatedAt} /> : !c.registerWebhooks && texts.secretNone],
            [texts.webhookUrl, !c.registerWebhooks && <Copyable key="url" value={c.webhookUrl} name={texts.webhookUrl} />],
            [hostAccounts.people, people.data && hostAccounts.peopleSays(people.data)],
            [
              texts.repositories,
              known !== undefined && (
                <PageLink key="repositories" to="/t/$tenantId/repositories" params={{ tenantId }} search={{ connection: c.id }}>
                  {texts.connected(known)}
                </PageLink>
              ),
            ],
          ]}
        />
        <LastSync sync={c.lastSync} />
        {job !== "" && (
          <JobProgress key={job} tenantId={tenantId} id={job} name={texts.syncName} over={changed} />
        )}
        {test.data && <CheckList checks={test.data.checks} words={texts.checks} title={texts.tested} />}
        {trouble && <Trouble error={trouble} />}
        <Group gap="xs">
          {isBuilt(c.kind) && (
            <>
              <Button size="xs" variant="default" loading={test.isPending} onClick={() => test.mutate()}>
                {texts.test}
              </Button>
              <Button size="xs" variant="default" loading={sync.isPending} disabled={!c.enabled} onClick={() => sync.mutate()}>
                {texts.sync}
              </Button>
              <Button size="xs" variant="default" loading={secret.isPending} onClick={makeSecret}>
                {c.webhookSecretSet ? texts.rotateSecret : texts.makeSecret}
              </Button>
              <Button size="xs" variant="default" onClick={edit}>
                {texts.edit}
              </Button>
              <Button size="xs" variant="default" loading={enable.isPending} onClick={() => enable.mutate(!c.enabled)}>
                {c.enabled ? texts.pause : texts.resume}
              </Button>
            </>
          )}
          <Button
            size="xs"
            variant="default"
            loading={remove.isPending}
            onClick={() => confirm({ title: texts.removeTitle(c.name), says: known === undefined ? texts.removeUnknown : texts.removeSays(known), does: texts.remove, then: () => remove.mutate() })}
          >
            {texts.remove}
          </Button>
        </Group>
      </Stack>
    </section>
  );
}

function Since({ says, at }: { says: string; at: string }) {
  return (
    <>
      {says} <Time at={at} />
    </>
  );
}

function TokenSince({ connection: c }: { connection: Connection }) {
  return c.tokenUpdatedAt ? <Since says={texts.tokenSet} at={c.tokenUpdatedAt} /> : texts.tokenSet;
}

const soon = 7 * 86_400_000; // in ms, before the end of a token

/** When a token ends. Near its end that is something to do. */
function TokenEnd({ at }: { at: string }) {
  const near = new Date(at).getTime() - useNow() < soon;
  return near ? (
    <Group gap="xs">
      <StateMark tone="warn">{texts.tokenSoon}</StateMark>
      <Time at={at} />
    </Group>
  ) : (
    <Time at={at} />
  );
}

const parts = ["repositories", "added", "changed", "disconnected", "taken", "webhooks", "webhooksOff"] as const;

/** The result of the last request to the host, with what the person has to do. */
function LastSync({ sync }: { sync: Connection["lastSync"] }) {
  if (!sync) {
    return (
      <Text size="sm" c="dimmed">
        {texts.lastSync}: {texts.never}
      </Text>
    );
  }
  const figures = parts.filter((p) => p === "repositories" || (sync.counts[p] ?? 0) > 0).flatMap((p) => (sync.counts[p] === undefined ? [] : [texts.counts[p](sync.counts[p])]));
  return (
    <Stack gap={4}>
      <Text size="sm" c="dimmed">
        {texts.lastSync} <Time at={sync.at} />
        {figures.length > 0 && `: ${figures.join(", ")}`}
      </Text>
      {sync.error && <div className="note bad">{sync.error}</div>}
      {sync.notes.length > 0 && (
        <List size="sm" className="note">
          {sync.notes.map((n) => (
            <List.Item key={n}>{n}</List.Item>
          ))}
        </List>
      )}
    </Stack>
  );
}
