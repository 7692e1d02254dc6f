import { run as texts } from "@/texts/run";
import { stageNames } from "./stages";
import type { Run } from "./types";

/** The stages of a review in their order, with those that are done, that one where it is, and those to come. */
export function StageStrip({ state, stage }: { state: Run["state"]; stage: string }) {
  const at = state === "publishing" ? stageNames.length : state === "queued" ? -1 : stageNames.indexOf(stage);
  return (
    <ol className="stages">
      {[...stageNames, "publish"].map((name, i) => {
        const where = i < at ? "done" : i === at ? "now" : "ahead";
        return (
          <li key={name} className={where} aria-current={where === "now" ? "step" : undefined}>
            {texts.live.stage(name)}
            <span className="visually-hidden"> {texts.live.where[where]}</span>
          </li>
        );
      })}
    </ol>
  );
}
