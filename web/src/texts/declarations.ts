/** Words of the pages of telemetry, of the legal sign-off and of evaluation runs. */
export const telemetry = {
  says: "Telemetry tells the makers of assay how large installations are. It is off until an admin turns it on here.",
  nowhere: "Nothing is sent in this version, whatever is set here: there is nowhere to send it to.",
  enabled: "Send these figures",
  preview: "Exactly what would be sent",
  fields: { version: "Version", edition: "Edition", database: "Database", tenants: "Tenants", users: "People", repositories: "Repositories", runsLast30Days: "Reviews of the last 30 days" },
  updated: "Last changed",
};

export const signOff = {
  says: "Suggestions of reviewers and figures about people use data of people. Where the law or an agreement asks for it, an admin declares here that this was agreed.",
  is: "Signed off",
  isNot: "Not signed off",
  by: "By",
  at: "When",
  reference: "Where the agreement is kept",
  statement: "Statement",
  uses: "Permitted uses of the data",
  usesSays: "One use a line.",
  sign: "Sign off",
  again: "Replace the sign-off",
  withdraw: "Withdraw",
  withdrawTitle: "Withdraw the sign-off?",
  withdrawSays: "Features that need it are off from then on. The audit log keeps both.",
  signed: "Signed off.",
  withdrawn: "The sign-off is withdrawn.",
};

export const evaluations = {
  says: "Runs of the evaluation harness (assay eval run): how much a routing of models finds, and how much of that is noise.",
  caption: "Evaluation runs, newest first",
  none: "No run was stored.",
  at: "Made",
  suite: "Suite",
  routing: "Routing",
  cases: "Cases",
  precision: "Precision",
  recall: "Recall",
  noise: "False findings for each change",
  latency: "Latency",
  cost: "Cost",
  unknown: "unknown",
};
