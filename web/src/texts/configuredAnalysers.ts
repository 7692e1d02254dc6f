import type { Schemas } from "@/api/queries";

/** Texts about the analysers that the operator has configured. */
export const configuredAnalysers = {
  title: "Configured analysers",
  says: "The setting Analysers takes these names.",
  none: "The operator has configured no analysers. The setting ASSAY_ANALYSERS_PROGRAMS of the process names them, such as shellcheck=/usr/bin/shellcheck. docs/analysers.md describes it.",
  describe: (a: Schemas["ConfiguredAnalyser"]) => `${a.program}${a.version === "" ? "" : ` ${a.version}`}, for ${[...a.languages, ...a.paths].join(", ")}`,
};
