/** Texts of the pages of policies. */
export const policy = {
  title: "Policy",
  titleOf: (repository: string) => `Policy of ${repository}`,
  says: "How this repository is reviewed. A setting that is not set here has the tenant's default, or else the built-in value.",
  toDefaults: "Policy defaults of the tenant",
  defaultsTitle: "Policy defaults",
  defaultsSays: "Settings of every repository without its own. A setting that repositories must not change applies to all of them.",
};
