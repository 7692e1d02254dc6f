/** What the page of one finding says. */
export const finding = {
  history: "History across reviews",
  historyCaption: "The reviews that saw it, newest first",
  decisions: "Decisions",
  noDecision: "Nobody has decided anything about it.",
  review: "Review",
  head: "Commit",
  place: "Place",
  verdict: "Checker",
  route: "Shown",
  at: "When",
  first: "Found by",
  posted: "Published by",
  resolved: "Said to be gone by",
  thatReview: "this review",
  decision: {
    dismissal: "nobody has to act on it",
    suppression: "kept out of later reviews",
    dropped: "left out by whoever approved",
    edited: "given other words by whoever approved",
  },
  decided: { dismissed: "dismissed", open: "open again", proposed: "proposed", accepted: "accepted", declined: "declined", pending: "waits", approved: "approved", published: "published", rejected: "rejected", expired: "expired" },
};
