import { useState } from "react";
import { Button, Group, Modal, Stack, Switch, Text, TextInput } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { api, ok } from "@/api/client";
import { asProblem } from "@/api/problem";
import { keys, type Schemas } from "@/api/queries";
import { text } from "@/texts";
import { confirm } from "@/ui/confirm";
import { Empty } from "@/ui/Empty";
import { FormTrouble } from "@/ui/FormTrouble";
import { Loaded } from "@/ui/Loaded";
import { StateMark } from "@/ui/StateMark";
import { Time } from "@/ui/Time";
import { notice } from "@/ui/notice";
import { useServerForm } from "@/ui/useServerForm";

type Browser = Schemas["PushSubscription"];

/** The browsers of the person that get notifications of the tenant. */
export function PushBrowsers({ tenantId }: { tenantId: string }) {
  const client = useQueryClient();
  const key = keys.tenant(tenantId, "push");
  const [edited, setEdited] = useState<Browser>();
  const query = useQuery({ queryKey: key, queryFn: ({ signal }) => ok(api.GET("/api/me/tenants/{tenantId}/push-subscriptions", { params: { path: { tenantId } }, signal })) });
  const fresh = () => client.invalidateQueries({ queryKey: key });
  const act = useMutation({
    mutationFn: async ({ id, does }: { id: string; does: "test" | "remove" }) => {
      const params = { path: { tenantId, id } };
      if (does === "test") await ok(api.POST("/api/me/tenants/{tenantId}/push-subscriptions/{id}/test", { params }));
      else await ok(api.DELETE("/api/me/tenants/{tenantId}/push-subscriptions/{id}", { params }));
    },
    onSuccess: (_, { does }) => {
      notice(does === "test" ? text.me.tested : text.me.removed);
      return fresh();
    },
    onError: (error) => notice(asProblem(error).message, "bad"),
  });
  return (
    <Loaded query={query}>
      {({ items }) => (
        <Stack>
          {items.length === 0 && <Empty says={text.me.noNotifications} />}
          {items.map((b) => (
            <Group key={b.id} className="sheet" justify="space-between">
              <Stack gap={2} align="flex-start">
                <Text fw={650}>
                  <bdi>{b.label || b.host}</bdi>
                </Text>
                {b.state === "gone" ? <StateMark tone="bad">{text.me.gone}</StateMark> : <StateMark tone={b.enabled ? "good" : "quiet"}>{b.enabled ? text.me.on : text.me.off}</StateMark>}
                <Text size="sm" c="dimmed">
                  {text.me.sent}: {b.sentAt ? <Time at={b.sentAt} /> : text.me.never}
                </Text>
              </Stack>
              <Group gap="xs">
                <Button size="xs" variant="default" onClick={() => setEdited(b)}>
                  {text.me.edit}
                </Button>
                <Button size="xs" variant="default" onClick={() => act.mutate({ id: b.id, does: "test" })}>
                  {text.me.test}
                </Button>
                <Button size="xs" variant="default" onClick={() => confirm({ title: text.me.removeTitle, says: text.me.removeSays, does: text.me.remove, then: () => act.mutate({ id: b.id, does: "remove" }) })}>
                  {text.me.remove}
                </Button>
              </Group>
            </Group>
          ))}
          <Modal opened={edited !== undefined} onClose={() => setEdited(undefined)} title={text.me.edit} closeButtonProps={{ "aria-label": text.common.close }}>
            {edited && (
              <Edit
                key={`${edited.id} ${edited.version}`}
                tenantId={tenantId}
                browser={edited}
                done={() => {
                  setEdited(undefined);
                  void fresh();
                }}
                reload={async () => {
                  await fresh();
                  setEdited(client.getQueryData<Schemas["PushSubscriptions"]>(key)?.items.find((b) => b.id === edited.id));
                }}
              />
            )}
          </Modal>
        </Stack>
      )}
    </Loaded>
  );
}

function Edit({ tenantId, browser, done, reload }: { tenantId: string; browser: Browser; done: () => void; reload: () => Promise<void> }) {
  const { form, submit, sending, problem, conflict } = useServerForm({
    initial: { label: browser.label, enabled: browser.enabled },
    send: (body) => ok(api.PATCH("/api/me/tenants/{tenantId}/push-subscriptions/{id}", { params: { path: { tenantId, id: browser.id }, header: { "If-Match": `"v${browser.version}"` } }, body })),
    done,
  });
  return (
    <form onSubmit={submit}>
      <Stack>
        <FormTrouble problem={problem} conflict={conflict} reload={() => void reload()} />
        <TextInput label={text.me.label} maxLength={100} autoComplete="off" {...form.getInputProps("label")} />
        <Switch label={text.me.enabled} {...form.getInputProps("enabled", { type: "checkbox" })} />
        <Group>
          <Button type="submit" loading={sending}>
            {text.form.save}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
