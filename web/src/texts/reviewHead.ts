/** Texts of the head of a review. */
export const reviewHead = {
  summary: "Summary of the review",
  incomplete: "incomplete",
  synopsis: "What the change does, according to a model:",
  earlierSynopsis: (commit: string) => `What the change did at ${commit}, according to a model:`,
  noFindings: "No findings",
  newerHead: "A newer head of this pull request was reviewed.",
  newerReview: "Go to the newest review",
  toApproval: "Show the approval",
  issues: {
    heading: "Tickets",
    none: "no acceptance criteria",
    open: (key: string) => `Open ${key}`,
  },
};
