/** What the page of a tenant's settings says. */
export const tenantSettings = {
  title: "Settings of the tenant",
  says: "What holds for the whole tenant. How long things are kept is a setting of the instance; how repositories are reviewed stands in their defaults.",
};
