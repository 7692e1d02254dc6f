import type { Schemas } from "@/api/queries";

/** Texts about the analysers that the operator has configured. */
export const configuredAnalysers = {
  title: "Configured analysers",
  says: "The setting Analysers takes these names.",
  none: "The operator has configured no analysers. The setting ASSAY_ANALYSERS_PROGRAMS of the process names them, such as shellcheck=/usr/bin/shellcheck. docs/analysers.md describes it.",
  absent: (names: readonly string[]) =>
    `Analysers that the operator has not set up: ${names.join(", ")}. They do not run, and the summary of each review says so. Remove the names from the setting Analysers, or ask the operator.`,
  describe: (a: Schemas["ConfiguredAnalyser"]) => `${a.program}${a.version === "" ? "" : ` ${a.version}`}, for ${[...a.languages, ...a.paths].join(", ")}`,
};
