import type { StageTime } from "./types";

/** The stages of a review's work, in their order; publishing comes behind them. */
export const stageNames: readonly string[] = ["load", "fetch", "parse", "check", "triage", "guidelines", "intent", "generate", "verify", "rank"];

/** A stage as the picture shows it. */
export interface Bar {
  stage: string;
  /** Milliseconds. */
  took: number;
  /** Of the whole, from 0 to 1: where the bar begins, and how wide it is. */
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
