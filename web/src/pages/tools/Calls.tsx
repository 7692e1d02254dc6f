import { Group, Stack, Title } from "@mantine/core";
import { answer, api } from "@/api/client";
import { keys, type Schemas } from "@/api/queries";
import { wordOf } from "@/texts/terms";
import { tools as texts } from "@/texts/tools";
import { Empty } from "@/ui/Empty";
import { ButtonLink } from "@/ui/links";
import { type Column, ListTable } from "@/ui/ListTable";
import { Outside } from "@/ui/Outside";
import { Time } from "@/ui/Time";
import { useListing } from "@/ui/useListing";

type Call = Schemas["McpCall"];

const columns: readonly Column<Call>[] = [
  { key: "at", heading: texts.at, cell: (c) => <Time at={c.createdAt} /> },
  { key: "tool", heading: texts.tool, cell: (c) => <Outside says={c.tool} /> },
  { key: "outcome", heading: texts.outcome, cell: (c) => wordOf(texts.outcomes)(c.outcome) },
  { key: "took", heading: texts.took, cell: (c) => texts.milliseconds(c.durationMs), numbers: true },
  { key: "sent", heading: texts.sent, cell: (c) => texts.bytes(c.requestBytes), numbers: true },
  { key: "received", heading: texts.received, cell: (c) => texts.bytes(c.responseBytes), numbers: true },
];

/** The calls of reviews to a server's tools. */
export function Calls({ tenantId, serverId, name }: { tenantId: string; serverId: string; name: string }) {
  const listing = useListing<Call>(keys.tenant(tenantId, "mcp-servers", serverId, "calls"), (cursor, signal) =>
    answer(api.GET("/api/tenants/{tenantId}/mcp-servers/{serverId}/calls", { params: { path: { tenantId, serverId }, query: cursor ? { cursor } : {} }, signal })),
  );
  return (
    <section aria-labelledby="calls">
      <Stack gap="sm">
        <Group justify="space-between">
          <Title order={2} id="calls">
            {texts.callsOf(name)}
          </Title>
          <ButtonLink size="xs" variant="default" to="/t/$tenantId/mcp-servers" params={{ tenantId }} search={{}}>
            {texts.callsClose}
          </ButtonLink>
        </Group>
        <ListTable caption={texts.callsCaption} columns={columns} listing={listing} rowKey={(c) => c.id} empty={<Empty says={texts.callsEmpty} />} />
      </Stack>
    </section>
  );
}
