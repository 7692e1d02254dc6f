import { Anchor, Group, Text } from "@mantine/core";
import type { Schemas } from "@/api/queries";
import { RunStateMark } from "@/pages/runs/columns";
import { metOf } from "@/pages/records/Criteria";
import { records } from "@/texts/records";
import { reviewHead as texts } from "@/texts/reviewHead";
import { Outside } from "@/ui/Outside";
import { money, span } from "@/ui/format";
import { StateMark } from "@/ui/StateMark";
import { stateNow } from "./FindingCard";
import { split } from "./grouping";
import { SeverityCounts } from "./SeverityCounts";
import { type Finding, isOver, type Run } from "./types";

function countsOf(findings: readonly Finding[]): Schemas["SeverityCounts"] {
  const counts = { critical: 0, high: 0, medium: 0, low: 0, info: 0 };
  for (const f of findings) counts[f.severity]++;
  return counts;
}

/** The line of a review that stays in view: state, findings by severity with those that are still open, tickets, cost and duration. */
export function ReviewHead({ run }: { run: Run }) {
  const shown = split(run).shown;
  const open = shown.filter((f) => stateNow(f) === "open");
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
          {open.length < shown.length && `${texts.found} `}
          <SeverityCounts of={countsOf(shown)} none={texts.noFindings} />
        </span>
      )}
      {judged && open.length < shown.length && (
        <span>
          {open.length === 0 ? (
            texts.noneOpen
          ) : (
            <>
              {texts.openNow} <SeverityCounts of={countsOf(open)} />
            </>
          )}
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
