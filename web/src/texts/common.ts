/** Words of every page. */
export const app = "assay";

export const common = {
  loading: "Loading…",
  cancel: "Cancel",
  close: "Close",
  clear: "Clear",
  clearOf: (what: string) => `Clear: ${what}`,
  more: "Show more",
  held: "The list has changed. It updates when the pointer and the focus leave it.",
  showChange: "Show now",
  unknown: "unknown",
  none: "–",
  units: { ms: "ms", s: "s", min: "min", h: "h", d: "d" },
  tokens: (n: string) => `${n} tokens`,
  shownSoFar: (n: number) => `${n} shown, more available`,
  shownAll: (n: number) => (n === 1 ? "1 result" : `${n} results`),
  unfilled: "Nothing fills this yet: the part of the service that writes it is not built in this version.",
  typedHint: "Takes effect with Enter, or when you leave the field",
  enterSign: "↵",
  wrongNumber: "Enter a whole number from 1, such as 12 or #12. The list has not changed.",
  filters: (set: number) => (set === 0 ? "Filters" : `Filters (${set})`),
  moreFilters: (set: number) => (set === 0 ? "More filters" : `More filters (${set})`),
  fewerFilters: "Fewer filters",
  clearFilters: "Clear the filters",
  all: "All",
  state: "State",
  repository: "Repository",
  chooseRepository: "Type to find one",
  allRepositories: "All; type to find one",
  made: "Created",
  remove: "Remove",
  removeOf: (what: string) => `Remove: ${what}`,
  removed: "Removed.",
  forAdmins: "This page is for the administrators of the tenant.",
  copy: "Copy",
  copied: "Copied",
  copyOf: (what: string) => `Copy: ${what}`,
};

/** What an operator sets so that an address of the private network is reached. */
export const privateHost = {
  says: "To allow a host of your private network, an operator adds this to the environment of the service:",
  setting: "setting",
  then: "If the list is already set, add the host after a comma. Then restart the service and send this form again.",
};

export const trouble = {
  heading: "This did not work",
  absent: "Not found",
  forbidden: "This is not allowed",
  unknown: "The service gave no reason.",
  request: "Request",
  again: "Try again",
  lost: "Connection lost, retrying…",
  lostSays: "The page continues by itself as soon as the service answers. What you entered stays.",
  copy: "Copy a report",
  copied: "Copied",
  report: "problem report",
  lines: { page: "page", problem: "problem", said: "said", request: "request", time: "time", browser: "browser" },
  broken: "This page failed",
  brokenSays: "The rest of the console works. Loading the page again may help; if it does not, send a report to the operator of this service.",
  reload: "Load the page again",
  partMissing: "A part of the console could not be loaded: confirmations and messages are not shown.",
  newVersion: "This page could not be loaded",
  newVersionSays: "The service was updated, or does not answer. Load the page again to continue.",
  pageAbsent: "Not found",
  pageAbsentSays: "The page does not exist, or you may not see it.",
  start: "To the start page",
};

/** Texts about unsaved entries. */
export const unsaved = {
  title: "Leave without saving?",
  says: "Your input on this page is not saved, and is lost if you leave.",
  leave: "Leave and discard",
  stay: "Stay here",
  closes: "Your input here is lost if you close this.",
  close: "Close and discard",
  goOn: "Continue",
};

export const form = {
  saved: "Saved.",
  save: "Save",
  conflict: "Another person has changed this in the meantime. Your input is still here, but not saved.",
  reload: "Load the newest version and discard my input",
};
