/** The lists of a repository that have no page of their own, in the order of their tabs; a name is the end of its path in the interface, with "-" for "/". */
export const recordLists = [
  "triage-runs",
  "ac-checks",
  "tracker-links",
  "links",
  "suppressions",
  "sast-runs",
  "ci-analyses",
  "fix-runs",
  "assignments",
  "assignment-workload",
  "calibration",
  "code-index",
] as const;

/** Those that no part of the service writes yet. A test compares them with the description of the interface. */
export const notFilled: readonly RecordList[] = ["assignments", "assignment-workload"];

export type RecordList = (typeof recordLists)[number];

/** Whether a name in an address is one of the lists. */
export const isRecordList = (name: string): name is RecordList => (recordLists as readonly string[]).includes(name);
