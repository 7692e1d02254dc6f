import { Table, Text } from "@mantine/core";
import type { Schemas } from "@/api/queries";
import { text } from "@/texts";
import { costs as texts } from "@/texts/costs";
import { Money, Tokens } from "@/ui/Figures";
import { count } from "@/ui/format";
import { Outside } from "@/ui/Outside";
import { Scroll } from "@/ui/Scroll";
import { cachedShare, nameOf } from "./figures";

type Costs = Schemas["Costs"];

/** Use and cost of each group, the most expensive first, and the total. */
export function CostTable({ costs: c }: { costs: Costs }) {
  const rows = c.groupBy === "day" ? [...c.items].reverse() : [...c.items].sort((a, b) => (b.costMicros ?? -1) - (a.costMicros ?? -1));
  const caption = texts.caption(texts.groups[c.groupBy]);
  return (
    <Scroll label={caption} width={640}>
      <Table>
        <Table.Thead>
          <Table.Tr>
            <Table.Th scope="col">{texts.groups[c.groupBy]}</Table.Th>
            {[texts.calls, texts.input, texts.cached, texts.output, texts.cost, texts.share].map((h) => (
              <Table.Th key={h} scope="col" className="numbers">
                {h}
              </Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {rows.map((r) => (
            <Table.Tr key={r.key}>
              <Table.Th scope="row" fw={400}>
                <Outside says={nameOf(c.groupBy, r)} />
                {r.unpricedCalls > 0 && (
                  <Text size="sm" c="dimmed">
                    {texts.unpriced(r.unpricedCalls)}
                  </Text>
                )}
              </Table.Th>
              <Cells of={r} currency={c.currency} all={c.total.costMicros} />
            </Table.Tr>
          ))}
        </Table.Tbody>
        <Table.Tfoot>
          <Table.Tr>
            <Table.Th scope="row">{texts.total}</Table.Th>
            <Cells of={c.total} currency={c.currency} all={c.total.costMicros} />
          </Table.Tr>
        </Table.Tfoot>
      </Table>
    </Scroll>
  );
}

function Cells({ of, currency, all }: { of: Schemas["CostFigures"]; currency: string; all: number | null }) {
  const cached = cachedShare(of);
  return (
    <>
      <Table.Td className="numbers">{count(of.calls)}</Table.Td>
      <Table.Td className="numbers">
        <Tokens value={of.inputTokens} />
      </Table.Td>
      <Table.Td className="numbers">{cached === undefined ? text.common.none : texts.percent(cached)}</Table.Td>
      <Table.Td className="numbers">
        <Tokens value={of.outputTokens} />
      </Table.Td>
      <Table.Td className="numbers">
        <Money amount={of.costMicros} currency={currency} />
      </Table.Td>
      <Table.Td className="numbers">{of.costMicros === null || !all ? text.common.none : texts.percent(of.costMicros / all)}</Table.Td>
    </>
  );
}
