import { useState } from "react";
import { Button, Group, List, NativeSelect, Stack, Text, TextInput } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { api, ok } from "@/api/client";
import { keys, type Schemas } from "@/api/queries";
import { hostAccounts as texts } from "@/texts/hostAccounts";
import { Empty } from "@/ui/Empty";
import { Loaded } from "@/ui/Loaded";
import { notice } from "@/ui/notice";
import { Outside } from "@/ui/Outside";
import { StateMark, type Tone } from "@/ui/StateMark";
import { Trouble } from "@/ui/Trouble";

type Link = Schemas["HostAccountLink"];
type Account = Schemas["HostAccount"];

const tones: Record<Link["state"], Tone> = { proposed: "busy", confirmed: "good", refused: "bad" };

/** The kinds of code hosts on which accounts are linked by hand. */
const linkable: readonly Schemas["ProviderConnection"]["kind"][] = ["bitbucket-cloud", "bitbucket-dc", "azure-devops"];

/** The most accounts that a search shows. */
const most = 20;

/** The accounts of a member on code hosts, and the search for another one. */
export function HostAccounts({ tenantId, userId }: { tenantId: string; userId: string }) {
  const client = useQueryClient();
  const key = keys.tenant(tenantId, "members", userId, "host-accounts");
  const links = useQuery({ queryKey: key, queryFn: ({ signal }) => ok(api.GET("/api/tenants/{tenantId}/members/{userId}/host-accounts", { params: { path: { tenantId, userId } }, signal })) });
  const connections = useQuery({
    queryKey: keys.tenant(tenantId, "provider-connections", "linkable"),
    queryFn: async ({ signal }) => (await ok(api.GET("/api/tenants/{tenantId}/provider-connections", { params: { path: { tenantId }, query: { limit: 100 } }, signal }))).items.filter((c) => linkable.includes(c.kind)),
  });
  const changed = () => client.invalidateQueries({ queryKey: key });
  const unlink = useMutation({
    mutationFn: (connectionId: string) => ok(api.DELETE("/api/tenants/{tenantId}/members/{userId}/host-accounts/{connectionId}", { params: { path: { tenantId, userId, connectionId } } })),
    onSuccess: () => notice(texts.unlinked),
    onSettled: changed,
  });
  return (
    <Stack>
      <Text size="sm">{texts.says}</Text>
      {unlink.isError && <Trouble error={unlink.error} />}
      <Loaded query={links}>
        {({ items }) =>
          items.length === 0 ? (
            <Empty says={texts.none} />
          ) : (
            <List size="sm">
              {items.map((l) => (
                <List.Item key={l.connectionId}>
                  <Group gap="xs">
                    <Outside says={texts.at(texts.account(l.account.login, l.account.name), l.connectionName)} />
                    <StateMark tone={tones[l.state]}>{texts.state[l.state]}</StateMark>
                    {l.state === "confirmed" && !l.counts && <StateMark tone="warn">{texts.overruled}</StateMark>}
                    <Button size="xs" variant="default" aria-label={texts.unlinkOf(l.account.login)} loading={unlink.isPending} onClick={() => unlink.mutate(l.connectionId)}>
                      {texts.unlink}
                    </Button>
                  </Group>
                </List.Item>
              ))}
            </List>
          )
        }
      </Loaded>
      <Loaded query={connections}>{(list) => (list.length === 0 ? <Empty says={texts.noConnections} /> : <Search tenantId={tenantId} userId={userId} connections={list} linked={changed} />)}</Loaded>
    </Stack>
  );
}

interface SearchProps {
  tenantId: string;
  userId: string;
  connections: readonly Schemas["ProviderConnection"][];
  linked: () => unknown;
}

/** Finds accounts on the host of a connection, and links one. */
function Search({ tenantId, userId, connections, linked }: SearchProps) {
  const [connectionId, setConnection] = useState(connections[0]?.id ?? "");
  const [q, setQuery] = useState("");
  const search = useMutation({ mutationFn: () => ok(api.GET("/api/tenants/{tenantId}/provider-connections/{connectionId}/accounts", { params: { path: { tenantId, connectionId }, query: { q: q.trim() } } })) });
  const link = useMutation({
    mutationFn: (a: Account) => ok(api.PUT("/api/tenants/{tenantId}/members/{userId}/host-accounts/{connectionId}", { params: { path: { tenantId, userId, connectionId } }, body: { accountId: a.id, login: a.login } })),
    onSuccess: () => {
      notice(texts.linked);
      search.reset();
    },
    onSettled: linked,
  });
  const trouble = search.error ?? link.error;
  return (
    <form
      onSubmit={(e) => {
        e.preventDefault();
        link.reset(); // a refusal concerns the former result
        if (q.trim() !== "") search.mutate();
      }}
    >
      <Stack>
        <NativeSelect
          label={texts.connection}
          autoComplete="off"
          data={connections.map((c) => ({ value: c.id, label: c.name }))}
          value={connectionId}
          onChange={(e) => {
            setConnection(e.currentTarget.value);
            search.reset();
          }}
        />
        <TextInput label={texts.query} description={texts.querySays} required maxLength={100} autoComplete="off" value={q} onChange={(e) => setQuery(e.currentTarget.value)} />
        <Group>
          <Button type="submit" loading={search.isPending}>
            {texts.search}
          </Button>
        </Group>
        {trouble && <Trouble error={trouble} />}
        {search.data &&
          (search.data.items.length === 0 ? (
            <Text size="sm" role="status">
              {texts.nothing}
            </Text>
          ) : (
            <>
              <List size="sm" aria-label={texts.found}>
                {search.data.items.map((a) => (
                  <List.Item key={a.id}>
                    <Group gap="xs">
                      <Outside says={texts.account(a.login, a.name)} />
                      <Button size="xs" variant="default" aria-label={texts.linkOf(a.login)} loading={link.isPending} onClick={() => link.mutate(a)}>
                        {texts.link}
                      </Button>
                    </Group>
                  </List.Item>
                ))}
              </List>
              {search.data.items.length >= most && <Text size="sm">{texts.more}</Text>}
            </>
          ))}
      </Stack>
    </form>
  );
}
