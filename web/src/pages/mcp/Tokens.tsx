import { useState } from "react";
import { Button, Group, Stack, Text, Title } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { answer, api, ok } from "@/api/client";
import { keys, type Schemas } from "@/api/queries";
import { mcp as texts } from "@/texts/mcp";
import { confirm } from "@/ui/confirm";
import { Copyable } from "@/ui/Copyable";
import { Empty } from "@/ui/Empty";
import { FormModal } from "@/ui/FormModal";
import { type Column, ListTable } from "@/ui/ListTable";
import { failed } from "@/ui/failed";
import { notice } from "@/ui/notice";
import { Outside } from "@/ui/Outside";
import { ShownOnce } from "@/ui/ShownOnce";
import { Time } from "@/ui/Time";
import { useListing } from "@/ui/useListing";
import { TokenForm } from "./TokenForm";

type Token = Schemas["McpToken"];

const columns: readonly Column<Token>[] = [
  { key: "name", heading: texts.name, cell: (t) => <Outside says={t.name} /> },
  { key: "prefix", heading: texts.begins, cell: (t) => <code>{t.prefix}</code> },
  { key: "person", heading: texts.person, cell: (t) => <Outside says={t.userName} /> },
  { key: "scopes", heading: texts.scopes, cell: (t) => t.scopes.join(", ") },
  { key: "used", heading: texts.used, cell: (t) => (t.lastUsedAt ? <Time at={t.lastUsedAt} /> : texts.never) },
  { key: "ends", heading: texts.ends, cell: (t) => <Time at={t.expiresAt} /> },
];

/** The tokens of programs: the person's own, and for administrators all of them. */
export function Tokens({ tenantId }: { tenantId: string }) {
  const client = useQueryClient();
  const [making, setMaking] = useState(false);
  const [made, setMade] = useState<Schemas["McpTokenMade"]>();
  const key = keys.tenant(tenantId, "mcp-tokens");
  const changed = () => void client.invalidateQueries({ queryKey: key });
  const listing = useListing<Token>(key, (cursor, signal) => answer(api.GET("/api/tenants/{tenantId}/mcp-tokens", { params: { path: { tenantId }, query: cursor ? { cursor } : {} }, signal })));
  const revoke = useMutation({
    mutationFn: (tokenId: string) => ok(api.DELETE("/api/tenants/{tenantId}/mcp-tokens/{tokenId}", { params: { path: { tenantId, tokenId } } })),
    onSuccess: () => notice(texts.revoked),
    onError: (error) => failed(error),
    onSettled: changed,
  });
  const make = <Button onClick={() => setMaking(true)}>{texts.make}</Button>;
  const act: Column<Token> = {
    key: "act",
    heading: texts.revoke,
    cell: (t) => (
      <Button size="compact-sm" variant="default" aria-label={texts.revokeOf(t.name)} onClick={() => confirm({ title: texts.revokeTitle(t.name), says: texts.revokeSays, does: texts.revoke, then: () => revoke.mutate(t.id) })}>
        {texts.revoke}
      </Button>
    ),
  };
  return (
    <section aria-labelledby="tokens">
      <Stack gap="sm">
        <Group justify="space-between">
          <Title order={2} id="tokens">
            {texts.tokens}
          </Title>
          {listing.items.length > 0 && make}
        </Group>
        <Text size="sm">{texts.tokensSay}</Text>
        <ListTable caption={texts.tokensCaption} columns={[...columns, act]} listing={listing} rowKey={(t) => t.id} empty={<Empty says={texts.tokensNone} action={make} />} />
      </Stack>
      <FormModal title={texts.makeTitle} open={making} close={() => setMaking(false)}>
        {() => (
          <TokenForm
            tenantId={tenantId}
            done={(token) => {
              setMaking(false);
              setMade(token);
              changed();
            }}
          />
        )}
      </FormModal>
      <ShownOnce title={texts.onceTitle} says={texts.onceSays} kept={texts.kept} close={() => setMade(undefined)} of={made && [[texts.token, <Copyable key="token" value={made.secret} name={texts.token} />], [texts.ends, <Time key="ends" at={made.expiresAt} />]]} />
    </section>
  );
}
