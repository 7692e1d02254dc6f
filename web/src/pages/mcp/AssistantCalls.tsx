import { Stack, Title } from "@mantine/core";
import { answer, api } from "@/api/client";
import { keys, type Schemas } from "@/api/queries";
import { mcp as texts } from "@/texts/mcp";
import { wordOf } from "@/texts/terms";
import { Empty } from "@/ui/Empty";
import { type Column, ListTable } from "@/ui/ListTable";
import { Outside } from "@/ui/Outside";
import { Time } from "@/ui/Time";
import { useListing } from "@/ui/useListing";

type Call = Schemas["AssistantCall"];

const columns: readonly Column<Call>[] = [
  { key: "at", heading: texts.asked, cell: (c) => <Time at={c.startedAt} /> },
  { key: "what", heading: texts.what, cell: (c) => <Outside says={texts.tool[c.name] ?? c.name} /> },
  { key: "who", heading: texts.token, cell: (c) => <Outside says={`${c.tokenName} (${c.userName})`} /> },
  { key: "outcome", heading: texts.outcome, cell: (c) => wordOf(texts.outcomes)(c.outcome) },
];

/** The calls of assistants at /mcp. */
export function AssistantCalls({ tenantId }: { tenantId: string }) {
  const listing = useListing<Call>(keys.tenant(tenantId, "mcp-calls"), (cursor, signal) => answer(api.GET("/api/tenants/{tenantId}/mcp-calls", { params: { path: { tenantId }, query: cursor ? { cursor } : {} }, signal })));
  return (
    <section aria-labelledby="assistant-calls">
      <Stack gap="sm">
        <Title order={2} id="assistant-calls">
          {texts.calls}
        </Title>
        <ListTable caption={texts.callsCaption} columns={columns} listing={listing} rowKey={(c) => c.id} empty={<Empty says={texts.callsNone} />} />
      </Stack>
    </section>
  );
}
