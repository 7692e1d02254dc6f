/** What the pages of policies say. */
export const policy = {
  title: "Policy",
  titleOf: (repository: string) => `Policy of ${repository}`,
  says: "How this repository is reviewed. What is not set here is taken from the tenant's defaults, and else is built in; each setting by itself.",
  toRepository: "The repository",
  toDefaults: "Policy defaults",
  toRules: "Rules",
  defaultsTitle: "Policy defaults",
  defaultsSays: "What holds in every repository that says nothing else. A setting that repositories may not change holds in all of them.",
};
