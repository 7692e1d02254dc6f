const many = (n: number, one: string, more: string) => `${n} ${n === 1 ? one : more}`;

/** Texts of the pages where a person decides. */
export const approval = {
  heading: "Approval",
  waits: "This review waits for a decision. It is published after a person approves exactly this text.",
  until: "Expires",
  since: "Waiting since",
  digest: "Digest",
  changes: "Published text",
  leaveOut: (title: string) => `Leave out: ${title}`,
  edit: "Reword",
  drop: "Leave out",
  editOf: (title: string) => `Reword: ${title}`,
  keep: "Undo",
  titleField: "Title",
  explanationField: "Explanation",
  note: "Note",
  noteHelp: "For the audit log and this page. It is not published.",
  approve: "Approve and publish",
  approveWith: (dropped: number, edited: number) =>
    [dropped > 0 ? `${many(dropped, "finding", "findings")} left out` : "", edited > 0 ? `${many(edited, "finding", "findings")} reworded` : ""].filter(Boolean).join(", "),
  reject: "Reject",
  rejectTitle: "Reject this review?",
  rejectSure: "Nothing of this review is published, and the run ends. This cannot be undone; the head can be reviewed again.",
  asIs: "It can be approved as it is, or rejected.",
  text: "Exactly what would be published",
  shown: "Text as shown",
  published: "Text approved for publishing",
  noteWas: "Note",
  leftOut: (n: number) => (n === 1 ? "One finding was left out." : `${n} findings were left out.`),
  reworded: (n: number) => (n === 1 ? "One finding was reworded." : `${n} findings were reworded.`),
  approved: "Approved. The review is being published.",
  rejected: "Rejected. Nothing of this review is published.",
  lost: "Another person has already decided",
  other: "Another review waits now",
  empty: (field: string) => `${field} cannot be empty.`,
  long: (most: number) => `At most ${most} characters.`,
};

/** Texts around the text of a review. */
export const reviewText = {
  body: { review: "The review", edit: "The summary of the first review, edited", none: "Stored here, not published" },
  check: (title: string, conclusion: string) => `Check: ${title} (${conclusion})`,
  comment: (where: string) => `Comment on ${where}`,
  summary: "In place of the first review's text",
  none: "This run has no text.",
};
