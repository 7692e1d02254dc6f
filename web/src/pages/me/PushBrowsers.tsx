import { useState } from "react";
import { Button, Group, Stack, Text, Title } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { api, ok } from "@/api/client";
import { keys, type Schemas } from "@/api/queries";
import { remembered, unsubscribe } from "@/push/browser";
import { push as texts } from "@/texts/push";
import { confirm } from "@/ui/confirm";
import { Empty } from "@/ui/Empty";
import { Loaded } from "@/ui/Loaded";
import { failed } from "@/ui/failed";
import { FormModal } from "@/ui/FormModal";
import { notice } from "@/ui/notice";
import { Outside } from "@/ui/Outside";
import { StateMark } from "@/ui/StateMark";
import { Time } from "@/ui/Time";
import { PushEdit } from "./PushEdit";
import { ownOf, ThisBrowser } from "./ThisBrowser";

type Browser = Schemas["PushSubscription"];

/** The browsers of the person that get notifications of the tenant, and whether this one does. */
export function PushBrowsers({ tenantId }: { tenantId: string }) {
  const client = useQueryClient();
  const key = keys.tenant(tenantId, "push");
  const [edited, setEdited] = useState<Browser>();
  const query = useQuery({ queryKey: key, queryFn: ({ signal }) => ok(api.GET("/api/me/tenants/{tenantId}/push-subscriptions", { params: { path: { tenantId } }, signal })) });
  const fresh = () => client.invalidateQueries({ queryKey: key });
  const test = useMutation({
    mutationFn: (id: string) => ok(api.POST("/api/me/tenants/{tenantId}/push-subscriptions/{id}/test", { params: { path: { tenantId, id } } })),
    onSuccess: ({ checks }) => {
      const broken = checks.find((c) => !c.ok);
      if (broken) failed(new Error(broken.message));
      else notice(texts.tested);
      return fresh();
    },
    onError: (error) => failed(error),
  });
  const remove = useMutation({
    mutationFn: async (id: string) => {
      const here = remembered(tenantId) === id;
      await ok(api.DELETE("/api/me/tenants/{tenantId}/push-subscriptions/{id}", { params: { path: { tenantId, id } } }));
      if (here) await unsubscribe(tenantId);
    },
    onSuccess: () => {
      notice(texts.removed);
      return fresh();
    },
    onError: (error) => failed(error),
  });
  const nameOf = (b: Browser) => b.label || b.host;
  return (
    <Loaded query={query}>
      {(all) => (
        <Stack>
          <Text>{texts.says}</Text>
          <ThisBrowser tenantId={tenantId} of={all} fresh={fresh} />
          <Title order={3} size="h4">
            {texts.list}
          </Title>
          {all.items.length === 0 && <Empty says={texts.none} />}
          {all.items.map((b) => (
            <Group key={b.id} className="sheet" justify="space-between">
              <Stack gap={2} align="flex-start">
                <Text fw={650}>
                  <Outside says={nameOf(b)} />
                  {ownOf(tenantId, all.items)?.id === b.id && ` (${texts.thisOne})`}
                </Text>
                {b.state === "gone" ? <StateMark tone="bad">{texts.gone}</StateMark> : <StateMark tone={b.enabled ? "good" : "quiet"}>{b.enabled ? texts.on : texts.off}</StateMark>}
                <Text size="sm" c="dimmed">
                  {texts.sent}: {b.sentAt ? <Time at={b.sentAt} /> : texts.never}
                </Text>
              </Stack>
              <Group gap="xs">
                <Button size="xs" variant="default" aria-label={texts.changeOf(nameOf(b))} onClick={() => setEdited(b)}>
                  {texts.change}
                </Button>
                <Button size="xs" variant="default" loading={test.isPending && test.variables === b.id} onClick={() => test.mutate(b.id)}>
                  {texts.test}
                </Button>
                <Button size="xs" variant="default" onClick={() => confirm({ title: texts.removeTitle, says: texts.removeSays, does: texts.remove, then: () => remove.mutate(b.id) })}>
                  {texts.remove}
                </Button>
              </Group>
            </Group>
          ))}
          <FormModal title={edited && texts.changeOf(nameOf(edited))} open={edited !== undefined} close={() => setEdited(undefined)}>
            {() =>
              edited && (
                <PushEdit
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
              )
            }
          </FormModal>
        </Stack>
      )}
    </Loaded>
  );
}
