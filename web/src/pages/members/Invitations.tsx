import { useState } from "react";
import { Button, Group, NativeSelect, Stack, Text, Title } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { answer, api, ok } from "@/api/client";
import { keys, type Schemas } from "@/api/queries";
import { members as texts } from "@/texts/members";
import { confirm } from "@/ui/confirm";
import { Copyable } from "@/ui/Copyable";
import { Empty } from "@/ui/Empty";
import { failed } from "@/ui/failed";
import { FormModal } from "@/ui/FormModal";
import { FormTrouble } from "@/ui/FormTrouble";
import { type Column, ListTable } from "@/ui/ListTable";
import { notice } from "@/ui/notice";
import { Outside } from "@/ui/Outside";
import { ShownOnce } from "@/ui/ShownOnce";
import { Time } from "@/ui/Time";
import { useListing } from "@/ui/useListing";
import { useServerForm } from "@/ui/useServerForm";

type Invitation = Schemas["Invitation"];

/** The open invitations of a tenant, and the form of a new one. */
export function Invitations({ tenantId, inviting, close }: { tenantId: string; inviting: boolean; close: () => void }) {
  const client = useQueryClient();
  const [made, setMade] = useState<Schemas["InvitationMade"]>();
  const key = keys.tenant(tenantId, "invitations");
  const changed = () => void client.invalidateQueries({ queryKey: key });
  const listing = useListing<Invitation>(key, (cursor, signal) => answer(api.GET("/api/tenants/{tenantId}/invitations", { params: { path: { tenantId }, query: cursor ? { cursor } : {} }, signal })));
  const revoke = useMutation({
    mutationFn: (invitationId: string) => ok(api.DELETE("/api/tenants/{tenantId}/invitations/{invitationId}", { params: { path: { tenantId, invitationId } } })),
    onSuccess: () => notice(texts.revoked),
    onError: (error) => failed(error),
    onSettled: changed,
  });
  const columns: readonly Column<Invitation>[] = [
    { key: "role", heading: texts.role, cell: (i) => texts.roles[i.role] },
    { key: "by", heading: texts.invitedBy, cell: (i) => <Outside says={i.createdByName} /> },
    { key: "at", heading: texts.invitedAt, cell: (i) => <Time at={i.createdAt} /> },
    { key: "ends", heading: texts.invitationEnds, cell: (i) => <Time at={i.expiresAt} /> },
    {
      key: "revoke",
      heading: texts.revoke,
      cell: (i) => (
        <Button size="xs" variant="default" aria-label={texts.revokeOf(texts.roles[i.role], i.createdByName)} onClick={() => confirm({ title: texts.revokeTitle, says: texts.revokeSays, does: texts.revoke, then: () => revoke.mutate(i.id) })}>
          {texts.revoke}
        </Button>
      ),
    },
  ];
  return (
    <section aria-labelledby="invitations">
      <Stack>
        <Title order={2} id="invitations">
          {texts.invitations}
        </Title>
        <ListTable caption={texts.invitationsCaption} columns={columns} listing={listing} rowKey={(i) => i.id} empty={<Empty says={texts.noInvitations} />} />
      </Stack>
      <FormModal title={texts.inviteTitle} open={inviting} close={close}>
        {() => (
          <Invite
            tenantId={tenantId}
            done={(invitation) => {
              close();
              setMade(invitation);
              changed();
            }}
          />
        )}
      </FormModal>
      <ShownOnce title={texts.linkTitle} says={texts.linkSays} kept={texts.linkKept} close={() => setMade(undefined)} of={made && [[texts.link, <Copyable key="link" value={made.link} name={texts.link} />], [texts.role, texts.roles[made.role]], [texts.invitationEnds, <Time key="ends" at={made.expiresAt} />]]} />
    </section>
  );
}

function Invite({ tenantId, done }: { tenantId: string; done: (made: Schemas["InvitationMade"]) => void }) {
  const { form, submit, sending, problem, conflict } = useServerForm({
    initial: { role: "member" as Invitation["role"] },
    send: (body) => ok(api.POST("/api/tenants/{tenantId}/invitations", { params: { path: { tenantId } }, body })),
    done,
    saved: "",
  });
  return (
    <form onSubmit={submit}>
      <Stack>
        <FormTrouble problem={problem} conflict={conflict} />
        <Text size="sm">{texts.inviteSays}</Text>
        <NativeSelect label={texts.role} autoComplete="off" data={(["member", "admin"] as const).map((value) => ({ value, label: texts.roles[value] }))} {...form.getInputProps("role")} />
        <Group>
          <Button type="submit" loading={sending}>
            {texts.makeLink}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
