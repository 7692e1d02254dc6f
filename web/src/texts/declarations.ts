/** Words of the pages of telemetry, of the legal sign-off and of evaluation runs. */
export const telemetry = {
  says: "Telemetry sends the size of this installation to the makers of assay. It is off until an admin turns it on here.",
  nowhere: "This version sends nothing, whatever is set here: there is no receiver yet.",
  enabled: "Send these figures",
  preview: "Exactly what would be sent",
  fields: { version: "Version", edition: "Edition", database: "Database", tenants: "Tenants", users: "People", repositories: "Repositories", runsLast30Days: "Reviews of the last 30 days" },
  updated: "Last changed",
};

export const signOff = {
  says: "Suggestions of reviewers and figures about people use personal data. If a law or an agreement requires it, an admin declares the consent here.",
  is: "Signed off",
  isNot: "Not signed off",
  by: "By",
  at: "When",
  reference: "Place of the agreement",
  statement: "Statement",
  uses: "Permitted uses of the data",
  usesSays: "One use per line.",
  sign: "Sign off",
  again: "Replace the sign-off",
  withdraw: "Withdraw",
  withdrawTitle: "Withdraw the sign-off?",
  withdrawSays: "Features that need it are then off. The audit log keeps both.",
  signed: "Signed off.",
  withdrawn: "The sign-off is withdrawn.",
};

export const evaluations = {
  says: "Runs of the evaluation harness (assay eval run): the findings of a routing of models, and the share of false ones.",
  caption: "Evaluation runs, newest first",
  none: "No run is stored.",
  at: "Created",
  suite: "Suite",
  routing: "Routing",
  cases: "Cases",
  precision: "Precision",
  recall: "Recall",
  noise: "False findings per change",
  latency: "Latency",
  cost: "Cost",
  unknown: "unknown",
};
