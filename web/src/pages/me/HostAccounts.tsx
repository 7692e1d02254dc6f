import { Button, Group, Stack, Text, Title } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { api, ok } from "@/api/client";
import { keys, type Schemas } from "@/api/queries";
import { hostAccounts as texts } from "@/texts/hostAccounts";
import { Facts } from "@/ui/Facts";
import { Loaded } from "@/ui/Loaded";
import { notice } from "@/ui/notice";
import { Outside } from "@/ui/Outside";
import { StateMark } from "@/ui/StateMark";
import { Trouble } from "@/ui/Trouble";

type Link = Schemas["HostAccountLink"];

/** The accounts on code hosts that an administrator linked to the person, with the question whether they are theirs. */
export function HostAccounts({ tenantId }: { tenantId: string }) {
  const client = useQueryClient();
  const key = keys.tenant(tenantId, "my-host-accounts");
  const query = useQuery({ queryKey: key, queryFn: ({ signal }) => ok(api.GET("/api/me/tenants/{tenantId}/host-accounts", { params: { path: { tenantId } }, signal })) });
  const answer = useMutation({
    mutationFn: ({ link, mine }: { link: Link; mine: boolean }) => ok(api.POST("/api/me/tenants/{tenantId}/host-accounts/{connectionId}/answer", { params: { path: { tenantId, connectionId: link.connectionId } }, body: { accountId: link.account.id, mine } })),
    onSuccess: (_, { mine }) => {
      notice(mine ? texts.confirmed : texts.refused);
      void client.invalidateQueries({ queryKey: keys.tenant(tenantId) }); // roles on repositories may be others now
    },
    onError: () => void client.invalidateQueries({ queryKey: key }),
  });
  if (!query.isError && !query.data?.items.length) return null; // most people have no link, so nothing is shown while it loads
  return (
    <section aria-labelledby="host-accounts">
      <Title order={2} id="host-accounts" mb="xs">
        {texts.mine}
      </Title>
      {answer.isError && <Trouble error={answer.error} />}
      <Loaded query={query} lines={2}>
        {({ items }) => (
          <Stack gap="xs">
            {items.map((l) =>
              l.state === "proposed" ? (
                <Stack key={l.connectionId} className="note" gap="xs">
                  <Outside says={texts.asks(l.proposedByName || texts.someone)} />
                  <Facts
                    of={[
                      [texts.asksAccount, <Outside key="account" says={texts.account(l.account.login, l.account.name)} />],
                      [texts.asksHost, <Outside key="host" says={l.host} />],
                      [texts.asksId, <Outside key="id" says={l.account.id} />],
                    ]}
                  />
                  <Text size="sm">{texts.asksWhy}</Text>
                  <Group>
                    <Button size="xs" loading={answer.isPending} onClick={() => answer.mutate({ link: l, mine: true })}>
                      {texts.confirm}
                    </Button>
                    <Button size="xs" variant="default" loading={answer.isPending} onClick={() => answer.mutate({ link: l, mine: false })}>
                      {texts.refuse}
                    </Button>
                  </Group>
                </Stack>
              ) : (
                <Group key={l.connectionId} gap="xs">
                  <Outside says={texts.at(texts.account(l.account.login, l.account.name), l.host)} />
                  <StateMark tone={l.counts ? "good" : "quiet"}>{l.state === "confirmed" && !l.counts ? texts.overruled : texts.state[l.state]}</StateMark>
                </Group>
              ),
            )}
            {items.some((l) => l.state !== "proposed") && (
              <Text size="sm" c="dimmed">
                {texts.wrong}
              </Text>
            )}
          </Stack>
        )}
      </Loaded>
    </section>
  );
}
