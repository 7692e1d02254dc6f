import { Stack, Text, Title } from "@mantine/core";
import type { Schemas } from "@/api/queries";
import { findings } from "@/texts/findings";
import { onboarding as texts } from "@/texts/onboarding";
import { Facts } from "@/ui/Facts";
import { Money } from "@/ui/Figures";
import { count, span } from "@/ui/format";

const order = ["critical", "high", "medium", "low", "info"] as const;

/** The trial's reviews of merged pull requests, and their estimated costs. */
export function Trial({ proposal: p }: { proposal: Schemas["OnboardingProposal"] }) {
  const severities = order.filter((s) => (p.bySeverity[s] ?? 0) > 0).map((s) => texts.ofSeverity(p.bySeverity[s] ?? 0, findings.severities[s]));
  return (
    <section className="sheet" aria-labelledby="trial">
      <Stack gap="xs">
        <Title order={2} id="trial">
          {texts.trial}
        </Title>
        {p.note && <div className="note">{p.note}</div>}
        <Facts
          of={[
            [texts.looked, texts.lookedOf(p.lookedAt, p.mergedPullRequests)],
            [texts.couldNot, p.failed > 0 && count(p.failed)],
            [texts.inline, count(p.inline)],
            [texts.summary, count(p.summary)],
            [texts.stored, count(p.stored)],
            [texts.bySeverity, severities.join(", ")],
            [texts.cost, <Money key="cost" amount={p.costMicros} currency={texts.usd} />],
            [texts.costPerPull, p.lookedAt > 0 && <Money key="pull" amount={p.costPerPullRequestMicros} currency={texts.usd} />],
            [texts.perWeek, p.pullRequestsPerWeek !== null && count(Math.round(p.pullRequestsPerWeek * 10) / 10)],
            [texts.costPerWeek, p.lookedAt > 0 && <Money key="week" amount={p.costPerWeekMicros} currency={texts.usd} />],
            [texts.latency, p.medianLatencyMs !== null && p.slowestLatencyMs !== null && texts.latencyOf(span(p.medianLatencyMs), span(p.slowestLatencyMs))],
          ]}
        />
        {p.costPerWeekMicros !== null && (
          <Text size="sm" c="dimmed">
            {texts.costSays}
          </Text>
        )}
      </Stack>
    </section>
  );
}
