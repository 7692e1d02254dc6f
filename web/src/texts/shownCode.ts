/** Words about the code beside the change that models saw. */
export const shownCode = {
  heading: "Code beside the change",
  empty: "No model saw code beside the change, or the run was made before it was recorded.",
  index: (commit: string) => `Models saw this code. The code index, at commit ${commit} of the default branch, said where names stand.`,
  withoutIndex: "Models saw this code. No code index was ready: the review searched the checkout.",
  reasons: {
    "left-behind": "Still uses what the change removes or renames",
    definition: "Defines names that the lines of the change use",
    caller: "Uses what the change alters",
    sibling: "The same method of another type",
    similar: "Similar methods of the same type",
    test: "Tests",
    manifest: "Manifests",
    surroundings: "Around the changed lines",
  } as Record<string, string>,
  about: "for",
} as const;
