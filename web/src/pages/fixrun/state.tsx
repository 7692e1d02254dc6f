import type { Schemas } from "@/api/queries";
import { fixRuns as texts } from "@/texts/fixruns";
import { StateMark, type Tone } from "@/ui/StateMark";

type State = Schemas["FixRun"]["state"];

const tones: Record<State, Tone> = { queued: "quiet", running: "busy", publishing: "busy", completed: "good", failed: "bad", cancelled: "quiet" };

/** How often a fix run is read while it goes on, in ms. */
export const fixRunPause = 3000;

/** Whether a fix run is under way. */
export const fixRunGoesOn = (state: State): boolean => state === "queued" || state === "running" || state === "publishing";

/** The state of a fix run. */
export function FixRunMark({ state }: { state: State }) {
  return <StateMark tone={tones[state]}>{texts.states[state]}</StateMark>;
}
