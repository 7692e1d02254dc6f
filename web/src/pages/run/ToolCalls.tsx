import { Code, Table, Text } from "@mantine/core";
import { run as texts } from "@/texts/run";
import { toolOutcome } from "@/texts/terms";
import { Outside } from "@/ui/Outside";
import { count } from "@/ui/format";
import { duration } from "./timeline";
import { Scroll } from "@/ui/Scroll";
import type { ToolCall } from "./types";

/** One argument that a model has given to a tool. */
export interface Argument {
  name: string;
  value: string;
}

/** Arguments by name, without null values. Arguments that are not a JSON object are shown unchanged. */
export function argumentsOf(given: string): Argument[] {
  let v: unknown;
  try {
    v = JSON.parse(given);
  } catch {
    v = null;
  }
  if (typeof v !== "object" || v === null || Array.isArray(v)) return given === "" ? [] : [{ name: "", value: given }];
  return Object.entries(v)
    .filter(([, value]) => value !== null)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, value]) => ({ name, value: typeof value === "string" ? value : JSON.stringify(value) }));
}

/** The calls of models beyond the change. */
export function ToolCalls({ calls }: { calls: readonly ToolCall[] }) {
  const t = texts.context;
  if (calls.length === 0) return <Text>{t.toolsEmpty}</Text>;
  return (
    <Scroll label={t.toolsCaption} width={640}>
      <Table>
        <Table.Thead>
          <Table.Tr>
            {[t.number, t.stage, t.tool, t.arguments, t.outcome, t.hits, t.bytes, t.took].map((h) => (
              <Table.Th key={h} scope="col">
                {h}
              </Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {calls.map((c) => (
            <Table.Tr key={c.ordinal}>
              <Table.Td className="numbers">{c.ordinal}</Table.Td>
              <Table.Td>{texts.live.stage(c.stage)}</Table.Td>
              <Table.Td className="wrap-anywhere">
                <Outside says={c.tool} />
              </Table.Td>
              <Table.Td className="wrap-anywhere">
                {argumentsOf(c.arguments).map((a) => (
                  <div key={a.name}>
                    {a.name} <Code>{a.value}</Code>
                  </div>
                ))}
              </Table.Td>
              <Table.Td>{toolOutcome(c.outcome)}</Table.Td>
              <Table.Td className="numbers">{count(c.hits)}</Table.Td>
              <Table.Td className="numbers">{count(c.bytes)}</Table.Td>
              <Table.Td className="numbers">{duration(c.durationMs)}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Scroll>
  );
}
