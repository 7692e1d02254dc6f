/** Texts of the page of a tenant's settings. */
export const tenantSettings = {
  title: "Settings of the tenant",
  says: "Settings for the whole tenant. The instance sets how long things are kept; the repository defaults set how repositories are reviewed.",
  budget: "One page sets the most that models may cost in a month and in one review:",
  toBudget: "Budget and limits",
};
