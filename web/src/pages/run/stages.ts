import type { Run, StageTime } from "./types";

/** The stages of a review's work, in their order; publishing comes behind them. */
export const stageNames: readonly string[] = ["load", "fetch", "parse", "check", "triage", "guidelines", "intent", "generate", "verify", "rank"];

/** Stages that a review has only if they have work, with the stage before each. */
const occasional: Readonly<Record<string, string>> = { same: "verify", criteria: "verify" };

/** The state of a stage: unclear if the review is in a stage that this version of the console does not have. */
export interface Stop {
  name: string;
  where: "done" | "now" | "ahead" | "unclear";
}

/** The stages of a running review, with publishing. Optional stages are listed only while they are active. */
export function stopsOf(state: Run["state"], stage: string): Stop[] {
  const all = [...stageNames, "publish"];
  if (state === "queued" || (state !== "publishing" && stage === "")) return all.map((name) => ({ name, where: "ahead" }));
  const at = state === "publishing" ? "publish" : stage;
  const after = occasional[at];
  if (after !== undefined) all.splice(all.indexOf(after) + 1, 0, at);
  const now = all.indexOf(at);
  if (now >= 0) return all.map((name, i) => ({ name, where: i < now ? "done" : i === now ? "now" : "ahead" }));
  return [...stageNames.map((name): Stop => ({ name, where: "unclear" })), { name: at, where: "now" }, { name: "publish", where: "ahead" }];
}

/** A stage as the picture shows it. */
export interface Bar {
  stage: string;
  /** Milliseconds. */
  took: number;
  /** From 0 to 1 of the whole: where the bar begins, and its width. */
  from: number;
  width: number;
}

/** Lays stages that follow each other out along the time of the review. */
export function bars(stages: readonly StageTime[]): Bar[] {
  const whole = stages.reduce((sum, s) => sum + Math.max(0, s.durationMs), 0);
  let before = 0;
  return stages.map((s) => {
    const took = Math.max(0, s.durationMs);
    const bar = { stage: s.stage, took, from: whole > 0 ? before / whole : 0, width: whole > 0 ? took / whole : 0 };
    before += took;
    return bar;
  });
}
