import { Stack, Table, Text } from "@mantine/core";
import { run as texts } from "@/texts/run";
import { tier } from "@/texts/terms";
import { count, money } from "@/ui/format";
import { Scroll } from "@/ui/Scroll";
import type { Run } from "./types";

/** The use of models by tier and model, and the total. An unknown price is shown as unknown, and never counts as zero. */
export function UsageTab({ run }: { run: Run }) {
  const t = texts.usage;
  const total = run.usageTotal;
  const cost = (micros: number | null) => money(micros, total.currency) ?? t.unknown;
  const { costMicros, limitMicros, currency } = run.pullRequestCost;
  const spent = money(costMicros, currency) ?? t.unknown;
  const limit = money(limitMicros, currency);
  const pull = <Text>{limit ? t.pullOf(spent, limit) : t.pull(spent)}</Text>;
  if (run.usage.length === 0)
    return (
      <Stack>
        <Text>{t.empty}</Text>
        {limit && pull}
      </Stack>
    );
  return (
    <Stack>
      <Scroll label={t.caption} width={560}>
        <Table>
          <Table.Thead>
            <Table.Tr>
              {[t.tier, t.model].map((h) => (
                <Table.Th key={h} scope="col">
                  {h}
                </Table.Th>
              ))}
              {[t.calls, t.input, t.cached, t.output, t.cost].map((h) => (
                <Table.Th key={h} scope="col" className="numbers">
                  {h}
                </Table.Th>
              ))}
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {run.usage.map((u) => (
              <Table.Tr key={`${u.tier} ${u.model}`}>
                <Table.Td>{tier(u.tier)}</Table.Td>
                <Table.Td>
                  {u.model}
                  {u.answeredModels.some((m) => m !== u.model) && (
                    <Text size="sm" c="dimmed">
                      {u.answeredModels.join(", ")}
                    </Text>
                  )}
                </Table.Td>
                <Numbers of={[count(u.calls), count(u.inputTokens), count(u.cachedInputTokens), count(u.outputTokens), cost(u.costMicros)]} />
              </Table.Tr>
            ))}
          </Table.Tbody>
          <Table.Tfoot>
            <Table.Tr>
              <Table.Th scope="row" colSpan={2}>
                {t.together}
              </Table.Th>
              <Numbers of={[count(total.calls), count(total.inputTokens), count(total.cachedInputTokens), count(total.outputTokens), cost(total.costMicros)]} />
            </Table.Tr>
          </Table.Tfoot>
        </Table>
      </Scroll>
      {pull}
      {total.openCalls > 0 && <Text>{t.open(total.openCalls)}</Text>}
      {total.estimatedCalls > 0 && <Text>{t.estimated(total.estimatedCalls)}</Text>}
      {total.unpricedCalls > 0 && <Text>{t.unpriced(total.unpricedCalls)}</Text>}
    </Stack>
  );
}

function Numbers({ of }: { of: readonly string[] }) {
  return of.map((n, i) => (
    <Table.Td key={i} className="numbers">
      {n}
    </Table.Td>
  ));
}
