import type { Schemas } from "@/api/queries";
import { onboarding as texts } from "@/texts/onboarding";
import { StateMark, type Tone } from "@/ui/StateMark";

export type State = Schemas["Onboarding"]["state"];

const tones: Record<State, Tone> = { waiting: "quiet", trying: "busy", proposed: "warn", accepted: "good", declined: "quiet", failed: "bad" };

/** Where a new repository stands. */
export function OnboardingMark({ state }: { state: State }) {
  return (
    <StateMark tone={tones[state]} waits={state === "waiting"}>
      {texts.state[state]}
    </StateMark>
  );
}
