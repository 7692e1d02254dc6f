/** Texts of the list of approvals. */
export const approvals = {
  title: "Approvals",
  caption: "Reviews that wait for a decision, and decided ones",
  state: { pending: "waiting", approved: "approved", published: "published", rejected: "rejected", expired: "expired", all: "all" },
  findings: "Findings",
  since: "Waiting since",
  end: "Expires or decided",
  none: "No review waits for a decision.",
  empty: "No review matches.",
  clear: "Show all waiting",
  toRuns: "Show review runs",
  choose: "Choose a repository to see its waiting reviews. Your inbox has the reviews that you can decide on.",
};
