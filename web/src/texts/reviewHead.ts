/** Texts of the head of a review. */
export const reviewHead = {
  checksOff: "Deterministic checks that did not run, by the setting that switches them off:",
  repositoryFile: "Entries of .assay.yaml in the base branch that have no effect:",
  summary: "Summary of the review",
  about: "About this review",
  incomplete: "incomplete",
  synopsis: "A model describes the change:",
  earlierSynopsis: (commit: string) => `A model described the change at ${commit}:`,
  noFindings: "No findings",
  found: "Found:",
  openNow: "Open now:",
  noneOpen: "None is open now.",
  newerHead: "A newer head of this pull request was reviewed.",
  newerReview: "Go to the newest review",
  toApproval: "Show the approval",
  issues: {
    heading: "Tickets",
    none: "no acceptance criteria",
    open: (key: string) => `Open ${key}`,
  },
};
