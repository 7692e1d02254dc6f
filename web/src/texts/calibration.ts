import type { Schemas } from "@/api/queries";
import { many } from "./many";

type Bucket = Schemas["CalibrationBucket"];
type Held = Exclude<Schemas["Calibration"]["held"], "" | "outcomes">;

const percent = (share: number): string => `${Math.round(share * 100)} %`;
const confidence = (of: number): string => of.toFixed(2);
const interval = (s: Schemas["Share"]): string => `${percent(s.share)} (${percent(s.low)} to ${percent(s.high)})`;

/** Texts of the page of calibration. */
export const calibration = {
  ignored: "Ignored at merge",
  share: "Share accepted, with its 95 % interval",
  unknown: "not known yet",
  interval,
  byConfidence: "By confidence",
  bucket: (b: Bucket): string => `${confidence(b.from)} to ${confidence(b.to)}: ${b.taken} accepted, ${b.refused} refused, ${b.ignored} ignored${b.share ? `; ${interval(b.share)}` : ""}`,
  threshold: "Confidence that a comment needs",
  confidence,
  without: "no threshold: the summary lists these findings",
  since: "moved",
  implied: (to: number): string => `The counts imply ${confidence(to)}.`,
  missing: (n: number): string => (n > 0 ? `It moves after ${many(n, "more finding is", "more findings are")} accepted or refused.` : "It moves by at most 0.1 in a week."),
  held: {
    people: "It does not rise, because one person alone, or nearly alone, refused the findings.",
    week: "It moves by at most 0.1 in a week.",
  } satisfies Record<Held, string>,
  ofRun: "Calibrated thresholds",
  runThreshold: (category: string, to: number): string => `${category}: ${confidence(to)}`,
} as const;
