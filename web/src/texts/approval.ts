const many = (n: number, one: string, more: string) => `${n} ${n === 1 ? one : more}`;

/** What the pages say where a person decides. */
export const approval = {
  heading: "Approval",
  waits: "This review waits for a decision. Nothing of it is on the pull request until a person approves exactly this text.",
  until: "It expires",
  since: "It began to wait",
  digest: "Digest",
  changes: "Published text",
  leaveOut: (title: string) => `Leave out: ${title}`,
  edit: "Other words",
  drop: "Leave out",
  editOf: (title: string) => `Other words for: ${title}`,
  keep: "Take the words back",
  titleField: "Title",
  explanationField: "Explanation",
  note: "Note",
  noteHelp: "For the audit log and this page. It is not published.",
  approve: "Approve and publish",
  approveWith: (dropped: number, edited: number) =>
    [dropped > 0 ? `${many(dropped, "finding", "findings")} left out` : "", edited > 0 ? `${many(edited, "finding", "findings")} with other words` : ""].filter(Boolean).join(", "),
  reject: "Reject",
  rejectTitle: "Reject this review?",
  rejectSure: "Nothing of this review is published then, and the run ends. This cannot be undone; the head can be reviewed again.",
  asIs: "It can be approved as it is, or rejected.",
  text: "Exactly what would be published",
  shown: "Text as shown",
  published: "Text approved for publishing",
  noteWas: "Note",
  leftOut: (n: number) => (n === 1 ? "One finding was left out." : `${n} findings were left out.`),
  reworded: (n: number) => (n === 1 ? "One finding got other words." : `${n} findings got other words.`),
  approved: "Approved. The review is on its way to the code host.",
  rejected: "Rejected. Nothing of this review is published.",
  lost: "Another person was faster",
  other: "Another review waits now",
  empty: (field: string) => `${field} cannot be empty.`,
  long: (most: number) => `At most ${most} characters.`,
};

/** What the text of a review is shown with. */
export const reviewText = {
  body: { review: "The review", edit: "The summary of the first review, edited", none: "Kept here, not published" },
  check: (title: string, conclusion: string) => `Check: ${title} (${conclusion})`,
  comment: (where: string) => `Comment on ${where}`,
  summary: "In place of the first review's text",
  none: "No text was made for this run.",
};
