/** Words of the pages of lists. */
export const home = {
  title: "Your tenants",
  more: "There is more for you:",
  evenMore: "There are more closed tenants than were looked at.",
  role: { admin: "administrator", member: "member" },
};

export const repositories = {
  title: "Repositories",
  caption: "Repositories of the tenant",
  name: "Name",
  branch: "Default branch",
  intake: "Reviews",
  state: { active: "active", disconnected: "disconnected" },
  private: "private",
  public: "public",
  visibility: "Visibility",
  filterName: "Name has in it",
  filterState: "State",
  empty: "No repository matches.",
  none: "No repository is connected yet.",
  connect: "How repositories are connected",
  runs: "Review runs",
};

export const runs = {
  title: "Review runs",
  one: "Review",
  caption: "Review runs, newest first",
  pull: "Pull request",
  trigger: "Made by",
  head: "Commit",
  took: "Took",
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
  number: "Number of the pull request",
  choose: "Choose a repository to see its review runs.",
  empty: "No review run matches.",
  clear: "Show all",
};
