import { Button, Group, Stack, Table, Text, Title } from "@mantine/core";
import { audit as texts } from "@/texts/audit";
import { exactTime } from "@/ui/format";
import { Facts } from "@/ui/Facts";
import { actorOf, targetOf } from "./AuditLog";
import type { Entry } from "./source";

type Change = NonNullable<Entry["changes"]>[number];

/** A value of a field, as it is written; of secrets only what became of them. */
export function written(value: unknown): string {
  if (value === undefined || value === null) return "";
  return typeof value === "string" ? value : JSON.stringify(value, null, 1);
}

/** Everything that a log says of an entry. */
export function EntryDetails({ entry: e, only }: { entry: Entry; only: (to: Record<string, unknown>) => void }) {
  return (
    <Stack>
      <Facts
        of={[
          [texts.when, exactTime(e.at)],
          [texts.did, e.action],
          [texts.result, texts.results[e.result]],
          [texts.who, actorOf(e)],
          [texts.actor, e.actor?.id ?? ""],
          [texts.method, e.actor?.method ?? ""],
          [texts.address, e.actor?.address ?? ""],
          [texts.session, e.actor?.sessionId ?? ""],
          [texts.request, e.actor?.requestId ?? ""],
          [texts.target, targetOf(e)],
          [texts.targetId, e.target?.id ?? ""],
          [texts.note, e.note ?? ""],
          [texts.leaf, e.leaf],
        ]}
      />
      <Group gap="xs">
        {e.actor?.id && (
          <Button size="xs" variant="default" onClick={() => only({ actor: e.actor?.id })}>
            {texts.onlyThis}
          </Button>
        )}
        {e.target?.id && (
          <Button size="xs" variant="default" onClick={() => only({ targetKind: e.target?.kind, targetId: e.target?.id })}>
            {texts.onlyTarget}
          </Button>
        )}
      </Group>
      <Title order={3} size="h4">
        {texts.changes}
      </Title>
      {e.erased ? <Text>{texts.erased}</Text> : e.changes && e.changes.length > 0 ? <Changes of={e.changes} /> : <Text>{texts.noChanges}</Text>}
    </Stack>
  );
}

function Changes({ of }: { of: readonly Change[] }) {
  return (
    <Table.ScrollContainer minWidth={420} scrollAreaProps={{ viewportProps: { tabIndex: 0, role: "region", "aria-label": texts.changes } }}>
      <Table>
        <Table.Thead>
          <Table.Tr>
            <Table.Th scope="col">{texts.field}</Table.Th>
            <Table.Th scope="col">{texts.before}</Table.Th>
            <Table.Th scope="col">{texts.after}</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {of.map((c) => (
            <Table.Tr key={c.field}>
              <Table.Th scope="row">
                <code>{c.field}</code>
              </Table.Th>
              {c.secret ? (
                <Table.Td colSpan={2}>{texts.secret[c.secret as keyof typeof texts.secret] ?? c.secret}</Table.Td>
              ) : (
                <>
                  <Table.Td className="value">{written(c.before)}</Table.Td>
                  <Table.Td className="value">{written(c.after)}</Table.Td>
                </>
              )}
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  );
}
