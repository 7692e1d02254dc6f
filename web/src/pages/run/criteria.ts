import type { Run } from "./types";

export type RunIssue = Run["issues"][number];
export type Check = RunIssue["checks"][number];

/** Verdicts in the order in which they are read: what is missing first. */
const order: readonly Check["verdict"][] = ["not_met", "partly", "unclear", "met", "not_applicable"];

/** Whether a criterion needs a look: it is not known to be met, and applies to the change. */
export const isOpen = (c: Check) => c.verdict !== "met" && c.verdict !== "not_applicable";

/** The checks of an issue, unmet ones first; within a verdict in the order of the criteria. */
export const unmetFirst = (checks: readonly Check[]): Check[] => order.flatMap((v) => checks.filter((c) => c.verdict === v));

/** How many criteria are met, of those that apply to the change. */
export function metOf({ checks }: RunIssue): { met: number; of: number } {
  return { met: checks.filter((c) => c.verdict === "met").length, of: checks.filter((c) => c.verdict !== "not_applicable").length };
}
