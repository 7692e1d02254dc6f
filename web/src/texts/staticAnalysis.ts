import type { Schemas } from "@/api/queries";
import { many } from "./many";

type Run = Schemas["SastRun"];
type Note = Schemas["AnalysisNote"];

/** Texts about runs of static analysers. */
export const staticAnalysis = {
  states: { waiting: "waits for a review", running: "running", completed: "completed", failed: "not finished" } satisfies Record<Run["state"], string>,
  sources: { review: "by a review", upload: "uploaded" } satisfies Record<Run["source"], string>,
  analysers: "Analysers",
  newFindings: "New",
  oldFindings: "On other lines",
  document: "SARIF",
  download: "Download",
  downloadOf: (commit: string) => `Download the SARIF of ${commit}`,
  suppressed: (n: number) => `${n} suppressed`,
  unfinished: "did not run or did not finish",
  stays: (n: number) => `did not report on this commit, so ${many(n, "earlier finding stays", "earlier findings stay")} open`,
  source: "Source",
  noneOfFilter: "No run has this source and state.",
  leftOut: (parts: readonly string[]) => `Left out: ${parts.join(", ")}`,
  units: {
    results: (n) => many(n, "result", "results"),
    files: (n) => many(n, "file of an analyser", "files of analysers"),
    runs: (n) => many(n, "run of a document", "runs of documents"),
    analysers: (n) => many(n, "analyser that did not finish", "analysers that did not finish"),
  } satisfies Record<Note["unit"], (n: number) => string>,
  note: ({ analyser, unit, count, why }: Note) => `${analyser}: ${many(count, unit.slice(0, -1), unit)}, because ${why}`,
  failed: (analyser: string, why: string) => `${analyser}: ${why}`,
  ofRun: "Static analysis",
  none: "No static analysis is stored for this review.",
  all: "All runs of this repository",
};
