import { Text } from "@mantine/core";
import type { Schemas } from "@/api/queries";
import { SeverityCounts } from "@/pages/run/SeverityCounts";
import { text } from "@/texts";
import { trigger } from "@/texts/terms";
import { shortSha, span } from "@/ui/format";
import { Line } from "@/ui/Line";
import type { Column } from "@/ui/ListTable";
import { Outside } from "@/ui/Outside";
import { PullLink } from "@/ui/PullLink";
import { RunLink } from "@/ui/RunLink";
import { StateMark, type Tone } from "@/ui/StateMark";
import { Time } from "@/ui/Time";
import type { RunState } from "./route";

/** A run in the list of its repository, or in one of several. */
export type AnyRun = Schemas["ReviewRun"] & Partial<Schemas["ListedRun"]>;

const tones: Record<RunState, Tone> = { queued: "quiet", running: "busy", awaiting_approval: "warn", publishing: "busy", completed: "good", failed: "bad", cancelled: "quiet", superseded: "quiet", skipped: "quiet" };

/** The state of a review run, with its reason where there is one. */
export function RunStateMark({ state }: { state: RunState }) {
  return (
    <StateMark tone={tones[state]} waits={state === "awaiting_approval" || state === "queued"}>
      {text.runs.state[state]}
    </StateMark>
  );
}

/** How long a run took; a sign for none if it has not started or not ended. */
export const duration = (r: AnyRun) => (r.startedAt && r.finishedAt ? span(Date.parse(r.finishedAt) - Date.parse(r.startedAt)) : text.common.none);

/** The columns of lists of review runs. */
export const runColumns = (tenantId: string): readonly Column<AnyRun>[] => [
  { key: "state", heading: text.common.state, cell: (r) => <RunStateMark state={r.state} /> },
  {
    key: "pull",
    heading: text.runs.pull,
    wide: true,
    cell: (r) => (
      <>
        <Line full={r.pullRequest.title}>
          <RunLink tenantId={tenantId} repositoryId={r.repositoryId} runId={r.id}>
            #{r.pullRequest.number} <Outside says={r.pullRequest.title} />
          </RunLink>
        </Line>
        <Line quiet>
          {r.repository && (
            <PullLink tenantId={tenantId} repositoryId={r.repositoryId} number={r.pullRequest.number} size="sm">
              <Outside says={`${r.repository.owner}/${r.repository.name}#${r.pullRequest.number}`} />
            </PullLink>
          )}{" "}
          <code>{shortSha(r.headSha)}</code> {trigger(r.trigger)}
        </Line>
        {r.reason !== "" && (
          <Text size="sm" c="dimmed">
            {r.reason}
          </Text>
        )}
      </>
    ),
  },
  { key: "findings", heading: text.runs.findings, cell: (r) => (r.openBySeverity ? <SeverityCounts of={r.openBySeverity} /> : text.common.none) },
  { key: "made", heading: text.common.made, cell: (r) => <Time at={r.createdAt} /> },
  { key: "took", heading: text.runs.took, numbers: true, cell: duration },
];
