import { Button, Group, Stack, Table, Text } from "@mantine/core";
import type { Schemas } from "@/api/queries";
import { findings } from "@/texts/findings";
import { rules as texts } from "@/texts/rules";
import { OriginMark } from "@/ui/OriginMark";
import { Outside } from "@/ui/Outside";
import { Scroll } from "@/ui/Scroll";
import { StateMark } from "@/ui/StateMark";
import type { Rule } from "./place";

type Effective = Schemas["EffectiveRule"];

/** A rule, with its origin if several places are shown. */
export type Listed = Rule & Partial<Pick<Effective, "origin" | "active" | "reason" | "file" | "exceptPaths">>;

interface Props {
  caption: string;
  rows: readonly Listed[];
  /** Whether a row may be changed here; undefined: rows cannot be changed. */
  changes?: { may: (row: Listed) => boolean; edit: (row: Listed) => void; remove: (row: Listed) => void } | undefined;
}

const origins = { tenant: "tenant", repository: "repository", file: "file", guideline: "file" } as const;

/** Rules as a table: their text, their scope, and whether reviews apply them. */
export function RuleTable({ caption, rows, changes }: Props) {
  const placed = rows.some((r) => r.origin);
  return (
    <Scroll label={caption} width={640}>
      <Table verticalSpacing="xs">
        <Table.Thead>
          <Table.Tr>
            <Table.Th scope="col">{texts.rule}</Table.Th>
            {placed && <Table.Th scope="col">{texts.origin}</Table.Th>}
            <Table.Th scope="col">{texts.severity}</Table.Th>
            <Table.Th scope="col">{texts.about}</Table.Th>
            <Table.Th scope="col">{texts.state}</Table.Th>
            {changes && <Table.Th scope="col">{texts.act}</Table.Th>}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {rows.map((r) => (
            <Table.Tr key={r.id}>
              <Table.Td maw={420}>
                <What rule={r} />
              </Table.Td>
              {placed && <Table.Td>{r.origin && <OriginMark origin={origins[r.origin]}>{texts.origins[r.origin]}</OriginMark>}</Table.Td>}
              <Table.Td>{findings.severities[r.severity]}</Table.Td>
              <Table.Td>
                <About rule={r} />
              </Table.Td>
              <Table.Td>
                <State rule={r} />
              </Table.Td>
              {changes && (
                <Table.Td>
                  {changes.may(r) && (
                    <Group gap="xs">
                      <Button size="compact-sm" variant="default" aria-label={texts.editOf(r.title)} onClick={() => changes.edit(r)}>
                        {texts.edit}
                      </Button>
                      <Button size="compact-sm" variant="default" aria-label={texts.removeOf(r.title)} onClick={() => changes.remove(r)}>
                        {texts.remove}
                      </Button>
                    </Group>
                  )}
                </Table.Td>
              )}
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Scroll>
  );
}

const brief = 160; // characters of an instruction that are shown at once

function What({ rule: r }: { rule: Listed }) {
  return (
    <Stack gap={2}>
      <Text fw={600}>
        <Outside says={r.title} />
      </Text>
      {r.instruction.length <= brief ? (
        <Text size="sm" className="wrap-anywhere">
          {r.instruction}
        </Text>
      ) : (
        <details>
          <summary>
            <Text span size="sm" className="wrap-anywhere">
              {r.instruction.slice(0, brief)}…
            </Text>
          </summary>
          <Text size="sm" className="wrap-anywhere prewrap">
            {r.instruction}
          </Text>
        </details>
      )}
      {r.matcher && (
        <Text size="sm">
          {texts.matcher(r.matcher.kind)} <code className="wrap-anywhere">{r.matcher.pattern}</code>
        </Text>
      )}
    </Stack>
  );
}

function About({ rule: r }: { rule: Listed }) {
  const about = [...r.paths, ...r.languages];
  return (
    <Stack gap={2}>
      {about.length === 0 ? texts.everyFile : about.map((a) => <code key={a}>{a}</code>)}
      {r.exceptPaths && r.exceptPaths.length > 0 && <Text size="sm">{texts.not(r.exceptPaths.join(", "))}</Text>}
    </Stack>
  );
}

function State({ rule: r }: { rule: Listed }) {
  const active = r.active ?? r.enabled;
  return (
    <Group gap={4}>
      <StateMark tone={active ? "good" : "quiet"}>{active ? texts.on : r.reason ? texts.reason[r.reason] : texts.off}</StateMark>
      {r.mandatory && <StateMark tone="warn">{texts.mandatory}</StateMark>}
    </Group>
  );
}
