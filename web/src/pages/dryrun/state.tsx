import { text } from "@/texts";
import { StateMark, type Tone } from "@/ui/StateMark";
import type { DryRun } from "./queries";

const tones: Record<DryRun["state"], Tone> = { queued: "quiet", running: "busy", completed: "good", failed: "bad", cancelled: "quiet" };

/** Where a dry run stands. */
export function DryRunMark({ state }: { state: DryRun["state"] }) {
  return (
    <StateMark tone={tones[state]} waits={state === "queued"}>
      {text.dryRuns.state[state]}
    </StateMark>
  );
}
