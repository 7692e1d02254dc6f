import { Progress, Stack, Table, Text, Title } from "@mantine/core";
import type { Schemas } from "@/api/queries";
import { text } from "@/texts";
import { Bars } from "@/ui/Bars";
import { Empty } from "@/ui/Empty";
import { Money, Tokens } from "@/ui/Figures";
import { count, money } from "@/ui/format";
import { ButtonLink, PageLink } from "@/ui/links";
import { Outside } from "@/ui/Outside";
import { Scroll } from "@/ui/Scroll";

type Spend = Schemas["Spend"];

/** The costs of models by day, and the rest of the month's budget. */
export function SpendOfDays({ tenantId, spend }: { tenantId: string; spend: Spend }) {
  const { total, currency, budget } = spend;
  const says = (amount: number | null) => money(amount, currency) ?? text.common.unknown;
  return (
    <section className="sheet" aria-labelledby="spend">
      <Title order={2} id="spend">
        {text.overview.spendByDay}
      </Title>
      <Stack gap="xs">
        {total.calls === 0 ? (
          <Empty
            says={text.overview.noSpend}
            action={
              <ButtonLink to="/t/$tenantId/models" params={{ tenantId }} variant="default">
                {text.overview.toModels}
              </ButtonLink>
            }
          />
        ) : (
          <>
            <Text>
              {text.overview.total}:{" "}
              <strong>
                <Money amount={total.costMicros} currency={currency} />
              </strong>
            </Text>
            {total.unpricedCalls > 0 && total.costMicros !== null && (
              <Text size="sm" c="dimmed">
                {text.overview.unpriced}
              </Text>
            )}
            <Bars title={text.overview.spendByDay} heading={text.overview.spend} bars={spend.byDay.map((d) => ({ day: d.key, value: d.costMicros ?? 0, says: d.calls === 0 ? says(0) : says(d.costMicros) }))} />
            <PageLink to="/t/$tenantId/costs" params={{ tenantId }} search={{ by: "day" }} size="sm">
              {text.overview.toCosts}
            </PageLink>
          </>
        )}
        {budget && (
          <div>
            <Text size="sm">
              {text.overview.budget}: {text.overview.budgetOf(says(budget.spentMicros), says(budget.monthlyMicros))}
            </Text>
            <Progress value={budget.monthlyMicros > 0 ? Math.min(100, (budget.spentMicros / budget.monthlyMicros) * 100) : 100} aria-label={text.overview.budget} />
          </div>
        )}
      </Stack>
    </section>
  );
}

/** The models that cost most. */
export function TopModels({ tenantId, spend }: { tenantId: string; spend: Spend }) {
  if (spend.topModels.length === 0) return null;
  return (
    <section className="sheet" aria-labelledby="models">
      <Title order={2} id="models">
        {text.overview.models}
      </Title>
      <Scroll label={text.overview.models} width={280}>
        <Table>
          <Table.Thead>
            <Table.Tr>
              <Table.Th scope="col">{text.overview.model}</Table.Th>
              <Table.Th scope="col" className="numbers">
                {text.overview.calls}
              </Table.Th>
              <Table.Th scope="col" className="numbers">
                {text.overview.tokens}
              </Table.Th>
              <Table.Th scope="col" className="numbers">
                {text.overview.cost}
              </Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {spend.topModels.map((m) => (
              <Table.Tr key={m.key}>
                <Table.Td>
                  <PageLink to="/t/$tenantId/costs" params={{ tenantId }} search={{ by: "model" }}>
                    <Outside says={m.name} />
                  </PageLink>
                </Table.Td>
                <Table.Td className="numbers">{count(m.calls)}</Table.Td>
                <Table.Td className="numbers">
                  <Tokens value={m.inputTokens + m.outputTokens} />
                </Table.Td>
                <Table.Td className="numbers">
                  <Money amount={m.costMicros} currency={spend.currency} />
                </Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </Scroll>
      <PageLink to="/t/$tenantId/models" params={{ tenantId }} size="sm">
        {text.overview.toModels}
      </PageLink>
    </section>
  );
}
