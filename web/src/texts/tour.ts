import { settingNames } from "./names";

/** Texts of the tour of the demo, in the order of its steps. */
export const tour = {
  label: "Tour of the demo",
  position: (step: number, all: number) => `Step ${step} of ${all}`,
  back: "Back",
  next: "Next",
  leave: "Leave the tour",
  finish: "Finish",
  again: "Start the tour again",
  finished: "You have seen all steps.",
  newTab: "opens in a new tab",
  steps: {
    read: { title: "Read a review", does: "Open a review", says: "Open the review of “Pages for the list of orders”: its findings stand beside the changed lines." },
    reply: { title: "Reply to a finding", does: "Open the pull request", says: "Answer the comment of a finding, for example “Why is this a problem?”, and load the page again after a moment." },
    push: { title: "Push the fix", does: "Open the pull request", says: "Press “Push the fix” below the conversation: the new commit is reviewed, and the findings that it repairs are resolved." },
    apply: { title: "Apply a suggestion", does: "Open the pull request", says: "Press “Apply suggestion” under a finding: the suggested lines become a commit of the author." },
    approve: { title: "Approve a review", does: "Open the approvals", says: "One review waits for a person. Read and approve it. It then appears on the code host." },
    dismiss: { title: "Dismiss a finding", does: "Open the findings", says: "Choose a finding that does not help and dismiss it with a reason: later reviews leave it out." },
    whatIf: { title: "Ask what a setting would change", does: "Open the setting", says: `Set “${settingNames.failOn}” to another severity and review the changes: “What would this have changed?” compares it with past reviews before you save.` },
    merge: { title: "Merge", does: "Open the pull request", says: "Press “Merge”. It works once the fix of step 3 is reviewed. Without the fix it is refused, because the check “assay” fails or is missing." },
  },
};
