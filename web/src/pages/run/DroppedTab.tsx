import { Button, Code, Group, Paper, Stack, Text, Title } from "@mantine/core";
import { Outside } from "@/ui/Outside";
import { Prose } from "@/ui/Prose";
import { run as texts } from "@/texts/run";
import { category } from "@/texts/terms";
import { PageLink } from "@/ui/links";
import { place } from "./grouping";
import type { RunLinks } from "./links";
import { SeverityMark } from "./SeverityMark";
import type { Dropped } from "./types";
import { VerdictLine } from "./VerdictLine";

type Candidate = Dropped["items"][number];

/** The stages that drop candidates, in their order. */
export const droppingStages = ["place", "merge", "decision", "verify", "others", "policy", "rank", "approval"] as const satisfies readonly Candidate["stage"][];

interface Props {
  items: readonly Candidate[];
  counts: Dropped["counts"];
  links: RunLinks;
  more: (() => void) | null;
  busy: boolean;
}

/** The candidates that the run checked and does not show, by the stage that dropped them. */
export function DroppedTab({ items, counts, links, more, busy }: Props) {
  const t = texts.dropped;
  const reasons = Object.entries(counts).sort(([, a], [, b]) => b - a);
  if (items.length === 0 && reasons.length === 0) return <Text>{t.empty}</Text>;
  return (
    <Stack>
      <Text>{t.intro}</Text>
      {reasons.length > 0 && <Text>{reasons.map(([why, n]) => `${n} ${why}`).join(", ")}</Text>}
      {droppingStages.map((stage) => {
        const here = items.filter((c) => c.stage === stage);
        if (here.length === 0) return null;
        return (
          <Stack key={stage} component="section" gap="xs">
            <Title order={2} size="h5">
              {t.stages[stage]}
            </Title>
            {here.map((c) => (
              <OneCandidate key={c.ordinal} candidate={c} links={links} />
            ))}
          </Stack>
        );
      })}
      {more && (
        <Group>
          <Button variant="default" loading={busy} onClick={more}>
            {t.more}
          </Button>
        </Group>
      )}
    </Stack>
  );
}

function OneCandidate({ candidate: c, links }: { candidate: Candidate; links: RunLinks }) {
  return (
    <Paper component="article" withBorder p="sm">
      <Stack gap="xs">
        <Group gap="xs" align="baseline">
          <SeverityMark severity={c.severity} />
          <Text fw={600} className="wrap-anywhere">
            <Outside says={c.title} />
          </Text>
        </Group>
        <Group gap="xs">
          {c.path !== "" && <Code className="wrap-anywhere"><Outside says={place(c)} /></Code>}
          <Text size="sm" c="dimmed">
            {[category(c.category), c.ruleId, texts.findings.origin(c.origin)].filter((s) => s !== "").join(" · ")}
          </Text>
        </Group>
        <Text size="sm">{texts.dropped.why(c.reason)}</Text>
        {c.explanation !== "" && <Prose className="outside" says={c.explanation} />}
        <VerdictLine of={c} />
        {c.said !== "" && c.saidWhy !== "" && (
          <Text className="outside" size="sm">
            {texts.dropped.said(c.said)} <Outside says={c.saidWhy} />
          </Text>
        )}
        {c.suppressionId && (
          <PageLink size="sm" {...links.suppression(c.suppressionId)}>
            {texts.dropped.suppression}
          </PageLink>
        )}
        {c.findingId && (
          <PageLink size="sm" {...links.finding(c.findingId)}>
            {c.stage === "merge" || c.stage === "decision" ? texts.dropped.stands : texts.findings.history}
          </PageLink>
        )}
      </Stack>
    </Paper>
  );
}
