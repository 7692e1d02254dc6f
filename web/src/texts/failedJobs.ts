import type { Schemas } from "@/api/queries";
import { many } from "./many";

type Analysis = Schemas["CIAnalysis"];

/** Texts of analyses of failed jobs. */
export const failedJobs = {
  one: "Failed job",
  title: (job: string) => `Failed job: ${job}`,
  job: "Job",
  cause: "Cause",
  relation: "Relation to the change",
  relations: { caused: "caused by the change", unrelated: "not caused by the change", unclear: "unclear" } satisfies Partial<Record<Analysis["relation"], string>>,
  suggestion: "Suggestion",
  evidence: "Evidence",
  sources: { log: "Log", diff: "Change" } satisfies Record<Schemas["CIEvidence"]["source"], string>,
  line: (n: number) => `line ${n}`,
  tool: "Tool",
  method: "Found by",
  methods: { pattern: "patterns of the log", model: "a model" } satisfies Partial<Record<Analysis["method"], string>>,
  reason: "Note",
  notes: "Left out",
  model: "Model",
  cost: "Cost",
  usd: "USD",
  flaky: "The job also passed on this commit, so it may be flaky.",
  history: (flaky: number, failed: number) => `${flaky} of ${failed} earlier failures of this job passed when it was repeated.`,
  onBase: { failed: "The job also fails on the base branch.", passed: "The job passes on the base branch." } satisfies Partial<Record<Analysis["onBase"], string>>,
  facts: "The host says",
  log: "Log",
  logOf: (kept: number, lines: number) => `${kept} of ${many(lines, "line", "lines")} kept`,
  noLog: "There is no log.",
  gap: (lines: number) => `… ${many(lines, "line", "lines")} left out …`,
  marked: "evidence",
  onHost: "Show the job",
  pull: (n: number) => `#${n}`,
  ofPull: "Failed jobs",
  none: "none explained",
};
