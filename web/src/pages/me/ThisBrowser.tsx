import { useState } from "react";
import { Button, Group, Stack, Text } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { api, ok } from "@/api/client";
import { asProblem } from "@/api/problem";
import type { Schemas } from "@/api/queries";
import { ability, NotSubscribed, remembered, subscribe, unsubscribe } from "@/push/browser";
import { push as texts } from "@/texts/push";
import { notice } from "@/ui/notice";
import { StateMark } from "@/ui/StateMark";
import { browserOf } from "./browser";

type Subscriptions = Schemas["PushSubscriptions"];

/** The subscription of this browser among those of the person, if it still reaches the browser. */
export const ownOf = (tenantId: string, items: Subscriptions["items"]) => items.find((b) => b.id === remembered(tenantId) && b.state === "active");

/** Turns notifications on and off for this browser. */
export function ThisBrowser({ tenantId, of, fresh }: { tenantId: string; of: Subscriptions; fresh: () => Promise<void> }) {
  const [able, setAble] = useState(ability);
  const own = ownOf(tenantId, of.items);
  const turn = useMutation({
    mutationFn: async () => {
      if (own) {
        await ok(api.DELETE("/api/me/tenants/{tenantId}/push-subscriptions/{id}", { params: { path: { tenantId, id: own.id } } }));
        await unsubscribe(tenantId);
        return texts.turnedOff;
      }
      await subscribe(tenantId, of.vapidPublicKey, async (body) => (await ok(api.PUT("/api/me/tenants/{tenantId}/push-subscriptions", { params: { path: { tenantId } }, body: { ...body, label: browserOf(navigator.userAgent) } }))).id);
      return texts.turnedOn;
    },
    onSuccess: (said) => {
      notice(said);
      return fresh();
    },
    onError: (error) => {
      setAble(ability());
      if (!(error instanceof NotSubscribed)) void fresh();
    },
  });
  const why = turn.error instanceof NotSubscribed ? texts.not[turn.error.why] : turn.error ? asProblem(turn.error).message : "";
  return (
    <section className="sheet" aria-labelledby="this-browser">
      <Group justify="space-between" align="flex-start">
        <Stack gap={4} align="flex-start" maw="36rem">
          <Text fw={650} id="this-browser">
            {texts.here}
          </Text>
          <StateMark tone={own ? "good" : "quiet"}>{own ? texts.on : texts.off}</StateMark>
          <Text size="sm">{own ? texts.onSays : able === "able" ? texts.offSays : texts.unable[able]}</Text>
          <div role="status">{why !== "" && <Text size="sm">{why}</Text>}</div>
        </Stack>
        {(own !== undefined || able === "able") && (
          <Button variant={own ? "default" : "filled"} loading={turn.isPending} onClick={() => turn.mutate()}>
            {own ? texts.turnOff : texts.turnOn}
          </Button>
        )}
      </Group>
    </section>
  );
}
