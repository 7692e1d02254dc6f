import { Anchor, Group, Text } from "@mantine/core";
import { RunStateMark } from "@/pages/runs/columns";
import { metOf } from "@/pages/records/Criteria";
import { records } from "@/texts/records";
import { reviewHead as texts } from "@/texts/reviewHead";
import { Outside } from "@/ui/Outside";
import { money, span } from "@/ui/format";
import { StateMark } from "@/ui/StateMark";
import { split } from "./grouping";
import { SeverityCounts } from "./SeverityCounts";
import { isOver, type Run } from "./types";

/** The line of a review that stays in view: state, findings by severity, tickets, cost and duration. */
export function ReviewHead({ run }: { run: Run }) {
  const shown = split(run).shown;
  const counts = { critical: 0, high: 0, medium: 0, low: 0, info: 0 };
  for (const f of shown) counts[f.severity]++;
  const cost = run.usageTotal.calls > 0 ? money(run.usageTotal.costMicros, run.usageTotal.currency) : undefined;
  const took = run.startedAt && run.finishedAt ? Date.parse(run.finishedAt) - Date.parse(run.startedAt) : 0;
  const judged = isOver(run.state) || run.state === "awaiting_approval" || run.state === "publishing";
  return (
    <Group className="review-head" component="section" aria-label={texts.summary} gap="xs">
      <Text span fw={700}>
        #{run.pullRequest.number}
      </Text>
      <RunStateMark state={run.state} />
      {judged && (
        <span>
          <SeverityCounts of={counts} none={texts.noFindings} />
        </span>
      )}
      {run.incomplete !== "" && run.modelState !== "none" && <StateMark tone="warn">{texts.incomplete}</StateMark>}
      {run.issues.map((i) => {
        const { met, of } = metOf(i.checks);
        return (
          <Anchor key={i.issueKey} size="sm" href="#tickets">
            <Outside says={i.issueKey} />
            {of > 0 && ` ${records.met(met, of)}`}
          </Anchor>
        );
      })}
      {cost !== undefined && <Text size="sm">{cost}</Text>}
      {took > 0 && <Text size="sm">{span(took)}</Text>}
    </Group>
  );
}
