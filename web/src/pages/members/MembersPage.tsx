import { useState } from "react";
import { Button, Group, List, Menu, Stack, Text, Title } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useParams } from "@tanstack/react-router";
import { answer, api, ok } from "@/api/client";
import { keys, meQuery } from "@/api/queries";
import { text } from "@/texts";
import { hostAccounts } from "@/texts/hostAccounts";
import { members as texts } from "@/texts/members";
import { FormModal } from "@/ui/FormModal";
import { confirm } from "@/ui/confirm";
import { Empty } from "@/ui/Empty";
import { ListTable, type Column } from "@/ui/ListTable";
import { notice } from "@/ui/notice";
import { ForAdmins } from "@/ui/ForAdmins";
import { Outside } from "@/ui/Outside";
import { Page } from "@/ui/Page";
import { StateMark } from "@/ui/StateMark";
import { Time } from "@/ui/Time";
import { Trouble } from "@/ui/Trouble";
import { useListing } from "@/ui/useListing";
import { type Act, actsOn, type Member } from "./acts";
import { AddMember } from "./AddMember";
import { HostAccounts } from "./HostAccounts";
import { Invitations } from "./Invitations";
import { Mappings } from "./Mappings";

/** The people of a tenant, and what gives them their roles. */
export function MembersPage() {
  const { tenantId } = useParams({ from: "/t/$tenantId" });
  return (
    <ForAdmins tenantId={tenantId} title={text.frame.members}>
      {() => <Members tenantId={tenantId} />}
    </ForAdmins>
  );
}

function Members({ tenantId }: { tenantId: string }) {
  const client = useQueryClient();
  const [adding, setAdding] = useState(false);
  const [inviting, setInviting] = useState(false);
  const [linking, setLinking] = useState<Member>();
  const { data: me } = useQuery(meQuery);
  const key = keys.tenant(tenantId, "members");
  const listing = useListing<Member>(key, (cursor, signal) => answer(api.GET("/api/tenants/{tenantId}/members", { params: { path: { tenantId }, query: cursor ? { cursor } : {} }, signal })));
  const fresh = () => client.invalidateQueries({ queryKey: key });
  const act = useMutation({
    mutationFn: async ({ act, member }: { act: Act; member: Member }) => {
      const params = { path: { tenantId, userId: member.userId } };
      if (act === "dismiss") await ok(api.DELETE("/api/tenants/{tenantId}/members/{userId}", { params }));
      else if (act === "signOut") await ok(api.POST("/api/tenants/{tenantId}/members/{userId}/sign-out", { params }));
      else await ok(api.PUT("/api/tenants/{tenantId}/members/{userId}", { params, body: { role: act === "makeAdmin" ? "admin" : "member" } }));
    },
    onSuccess: (_, { act, member }) => {
      notice(act === "signOut" ? texts.signedOut : act === "dismiss" ? texts.dismissed : texts.changed);
      if (member.userId === me?.id) void client.invalidateQueries({ queryKey: keys.tenant(tenantId) }); // one's own role may be another now
      return fresh();
    },
  });
  const ask = (what: Act, member: Member) => {
    const then = () => act.mutate({ act: what, member });
    if (what === "makeAdmin") then();
    else if (what === "makeMember") confirm({ title: texts.demoteTitle(member.name), says: texts.demoteSays, does: texts.demoteDoes, then });
    else if (what === "dismiss") confirm({ title: texts.dismissTitle(member.name), says: texts.dismissSays, does: texts.dismissDoes, then });
    else confirm({ title: texts.signOutTitle(member.name), says: texts.signOutSays, does: texts.signOutDoes, then });
  };
  const columns: readonly Column<Member>[] = [
    {
      key: "name",
      heading: texts.name,
      cell: (m) => (
        <>
          <Outside says={m.name} />
          {m.userId === me?.id && ` (${texts.you})`}
        </>
      ),
    },
    { key: "role", heading: texts.role, cell: (m) => <StateMark tone={m.role === "admin" ? "good" : "quiet"}>{texts.roles[m.role]}</StateMark> },
    { key: "why", heading: texts.why, cell: (m) => <Why member={m} /> },
    { key: "used", heading: texts.used, cell: (m) => (m.lastUsedAt ? <Time at={m.lastUsedAt} /> : texts.notNow) },
    {
      key: "change",
      heading: texts.change,
      cell: (m) => (
        <Menu position="bottom-end">
          <Menu.Target>
            <Button size="xs" variant="default" aria-label={texts.changeOf(m.name)} loading={act.isPending && act.variables.member.userId === m.userId}>
              {texts.change}
            </Button>
          </Menu.Target>
          <Menu.Dropdown>
            {actsOn(m).map((a) => (
              <Menu.Item key={a} onClick={() => ask(a, m)}>
                {texts[a]}
              </Menu.Item>
            ))}
            <Menu.Item onClick={() => setLinking(m)}>{hostAccounts.open}</Menu.Item>
          </Menu.Dropdown>
        </Menu>
      ),
    },
  ];
  return (
    <Page
      title={text.frame.members}
      actions={
        <Group gap="xs">
          <Button onClick={() => setInviting(true)}>{texts.invite}</Button>
          <Button variant="default" onClick={() => setAdding(true)}>
            {texts.add}
          </Button>
        </Group>
      }
    >
      <Text>{texts.says}</Text>
      {act.isError && <Trouble error={act.error} />}
      <ListTable caption={texts.caption} columns={columns} listing={listing} rowKey={(m) => m.userId} empty={<Empty says={texts.none} action={<Button onClick={() => setAdding(true)}>{texts.add}</Button>} />} />
      <Invitations tenantId={tenantId} inviting={inviting} close={() => setInviting(false)} />
      <section aria-labelledby="mappings">
        <Stack>
          <Title order={2} id="mappings">
            {texts.mappings}
          </Title>
          <Mappings tenantId={tenantId} />
        </Stack>
      </section>
      <FormModal title={hostAccounts.title(linking?.name ?? "")} open={linking !== undefined} close={() => setLinking(undefined)} guards={false}>
        {() => linking && <HostAccounts tenantId={tenantId} userId={linking.userId} />}
      </FormModal>
      <FormModal title={texts.add} open={adding} close={() => setAdding(false)}>
        {() => adding && (
          <AddMember
            tenantId={tenantId}
            done={() => {
              setAdding(false);
              void fresh();
            }}
          />
        )}
      </FormModal>
    </Page>
  );
}

function Why({ member }: { member: Member }) {
  return (
    <List size="sm">
      {member.sources.map((s) => (
        <List.Item key={`${s.source} ${s.sourceId ?? ""}`}>
          <Group gap={4}>
            {texts.sourceAs(texts.source[s.source], texts.roles[s.role])}, {texts.confirmed} <Time at={s.confirmedAt} />
          </Group>
        </List.Item>
      ))}
    </List>
  );
}
