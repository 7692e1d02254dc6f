/** Names of pages in the navigation and above each page. */
export const crumbs = { policy: "Policy", defaults: "Policy defaults", rules: "Rules", settings: "Tenant settings", repository: "Repository", records: "Analysis", trial: "Trial" };

/** Words of the pages of lists. */
export const home = {
  title: "Your tenants",
  more: "More:",
  instance: "Manage the instance",
  evenMore: "There are more closed tenants than are listed.",
  role: { admin: "administrator", member: "member" },
};

export const repositories = {
  title: "Repositories",
  caption: "Repositories of the tenant",
  name: "Name",
  intake: "Reviews",
  on: "on",
  off: "off",
  lastRun: "Last review",
  findings: "Open findings",
  findingsOf: (n: number, repository: string) => `${n} open findings of ${repository}`,
  trial: { waiting: "waiting for its trial", trying: "trial running", proposed: "decision needed", declined: "declined", failed: "trial failed" },
  state: { active: "active", disconnected: "disconnected" },
  private: "private",
  public: "public",
  filterName: "Name contains",
  filterState: "State",
  empty: "No repository matches.",
  clear: "Show all",
  none: "No repository is connected yet.",
  ofAll: "All connections",
  of: (page: string, repository: string) => `${page} of ${repository}`,
};

export const runs = {
  title: "Reviews",
  one: "Review",
  caption: "Reviews, newest first",
  pull: "Pull request",
  trigger: "Trigger",
  head: "Commit",
  took: "Duration",
  state: {
    queued: "queued",
    running: "running",
    awaiting_approval: "waits for approval",
    publishing: "publishing",
    completed: "completed",
    failed: "failed",
    cancelled: "cancelled",
    superseded: "superseded",
    skipped: "skipped",
  },
  findings: "Open findings",
  number: "Number of the pull request",
  author: "Author of the pull request",
  since: "From",
  until: "Until",
  made: "Requested by",
  madeBy: { event: "an event of the code host", command: "a command in a comment", request: "a person in the console" },
  none: "No review has run yet. Open a pull request in a connected repository to see one here.",
  toRepositories: "Show repositories",
  empty: "No review run matches.",
  clear: "Show all",
};
