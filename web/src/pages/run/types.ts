import type { components } from "@/api/schema";

type Schemas = components["schemas"];

/** Everything about one review run, as the interface has it. */
export type Run = Schemas["ReviewRunDetail"];
/** One thing that a run found. */
export type Finding = Schemas["Finding"];
/** The review of a run as it waits for a person, or was decided. */
export type RunApproval = Schemas["RunApproval"];
/** The text of a review, as it is published. */
export type ReviewText = Schemas["ApprovalText"];
/** The request to approve or reject. */
export type Decision = Schemas["ApprovalDecision"];
/** One look of a model at the repository. */
export type ToolCall = Schemas["ToolCall"];
/** Where a run stands: the data of the events of its stream. */
export type RunEvent = Schemas["RunEvent"];
/** A step in the life of a run. */
export type Transition = Schemas["RunTransition"];

/** A run of static analysers that the review used. */
export type StaticRun = Schemas["SastRun"];

/** A changed file, as a run looked at it. */
export type ChangedFile = Schemas["DiffFile"];
/** A run of changed lines with its context. */
export type Hunk = Schemas["DiffHunk"];
/** Every text that a run made to be published, and what was sent. */
export type Outputs = Schemas["RunOutputs"];
/** One write to the code host. */
export type Write = Schemas["RunWrite"];
/** A candidate that a run checked and does not show. */
export type Dropped = Schemas["RunDropped"];
export type ShownCode = Schemas["RunContext"];
/** How long a stage of a review took. */
export type StageTime = Schemas["StageTime"];

/** Whether a run has ended, so that it no longer changes by itself. */
export function isOver(state: Run["state"]): boolean {
  return state === "completed" || state === "failed" || state === "cancelled" || state === "superseded" || state === "skipped";
}

/** A ticket of a review, with the verdicts on its criteria. */
export type RunIssue = Run["issues"][number];
