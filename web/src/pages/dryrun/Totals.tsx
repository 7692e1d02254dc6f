import { Stack, Text, Title } from "@mantine/core";
import type { Schemas } from "@/api/queries";
import { dryRun as texts } from "@/texts/dryrun";
import { Facts } from "@/ui/Facts";
import { Money } from "@/ui/Figures";
import { count } from "@/ui/format";
import { currency } from "./currency";

/** The result of a dry run as a whole, compared with the published reviews. */
export function Totals({ of: t }: { of: Schemas["TriedTotals"] }) {
  return (
    <section className="sheet" aria-labelledby="totals">
      <Stack gap="xs">
        <Title order={2} id="totals">
          {texts.totals}
        </Title>
        <Facts
          of={[
            [texts.looked, texts.lookedOf(t.completed, t.pullRequests)],
            [texts.couldNot, t.failed > 0 && count(t.failed)],
            [texts.inline, count(t.inline)],
            [texts.summary, count(t.summary)],
            [texts.stored, count(t.stored)],
            [texts.calls, count(t.calls)],
            [texts.cost, <Money key="cost" amount={t.costMicros} currency={currency} />],
          ]}
        />
        <Title order={3} size="h5">
          {texts.compared}
        </Title>
        <Text>{texts.comparedOf(t.compared)}</Text>
        {t.compared > 0 && (
          <Facts
            of={[
              [texts.new, count(t.new)],
              [texts.gone, count(t.gone)],
              [texts.changed, count(t.changed)],
              [texts.same, count(t.same)],
              [texts.costThen, <Money key="then" amount={t.costThenMicros} currency={currency} />],
              [texts.costNow, <Money key="now" amount={t.costNowMicros} currency={currency} />],
            ]}
          />
        )}
      </Stack>
    </section>
  );
}
