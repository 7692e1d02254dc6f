import type { RecordList } from "@/pages/records/lists";

/** Texts of the page of what is not built yet. */
export const notAvailable = {
  says: "These parts of assay are not built in this version. The command assay routes --unimplemented prints every operation and setting that they affect.",
  caption: "Parts that are not available yet",
  part: "Part",
  now: "What this version does",
  lists: {
    assignments: ["Suggested reviewers", "No reviewer is suggested or requested."],
    "assignment-workload": ["Workload of reviewers", "Open reviews per person are not counted."],
  } satisfies Partial<Record<RecordList, readonly [string, string]>>,
  others: {
    patterns: ["Reference repositories", "They can be stored. Reviews do not read them."],
    links: ["Linked repositories", "They can be stored, under the lists of a repository. Reviews do not read them."],
    embeddings: ["Embeddings", "A model for them can be chosen. The code index is lexical, and reviews search the checkout."],
    teams: ["Analytics by team", "Insights shows reviews and costs by day. Figures by team are available only through the API."],
    hosts: ["Azure DevOps", "Connections to this code host are refused."],
    telemetry: ["Telemetry", "Nothing is sent, whatever is set."],
  } satisfies Record<string, readonly [string, string]>,
  open: "Open its page",
};
