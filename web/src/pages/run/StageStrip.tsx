import { run as texts } from "@/texts/run";
import { stopsOf } from "./stages";
import type { Run } from "./types";

/** The stages of a review in order: completed, current and future ones. */
export function StageStrip({ state, stage }: { state: Run["state"]; stage: string }) {
  return (
    <ol className="stages">
      {stopsOf(state, stage).map(({ name, where }) => (
        <li key={name} className={where} aria-current={where === "now" ? "step" : undefined}>
          {texts.live.stage(name)}
          <span className="visually-hidden"> {texts.live.where[where]}</span>
        </li>
      ))}
    </ol>
  );
}
