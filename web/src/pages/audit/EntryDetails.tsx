import { Button, Group, Stack, Text, Title } from "@mantine/core";
import { audit as texts } from "@/texts/audit";
import { exactTime } from "@/ui/format";
import { Facts } from "@/ui/Facts";
import { ValueTable } from "@/ui/ValueTable";
import { actorOf, targetOf } from "./AuditLog";
import type { Entry } from "./source";

type Change = NonNullable<Entry["changes"]>[number];

/** A field's value as text; of a secret only the kind of change. */
export function written(value: unknown): string {
  if (value === undefined || value === null) return "";
  return typeof value === "string" ? value : JSON.stringify(value, null, 1);
}

/** All data of an entry. */
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
  const value = (v: unknown) => <span className="value">{written(v)}</span>;
  return (
    <ValueTable
      caption={texts.changes}
      headings={[texts.field, texts.before, texts.after]}
      minWidth={420}
      rows={of.map((c) => ({
        key: c.field,
        name: <code>{c.field}</code>,
        values: [value(c.before), value(c.after)],
        ...(c.secret ? { only: texts.secret[c.secret as keyof typeof texts.secret] ?? c.secret } : {}),
      }))}
    />
  );
}
