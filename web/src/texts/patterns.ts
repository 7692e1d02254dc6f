import type { Schemas } from "@/api/queries";

/** Texts of the page of pattern repositories. */
export const patterns = {
  title: "Reference repositories",
  says: "Examples of how code is written here. They are stored; reviews do not read them yet.",
  caption: "Repositories that are examples for the others",
  none: "No repository is an example for the others.",
  add: "Add an example",
  added: "The repository is an example for the others now.",
  repository: "Repository",
  paths: "Paths",
  pathsSays: "One pattern per line, such as src/**. None: all of it.",
  all: "all of it",
  note: "Note",
  state: "State",
  states: { active: "active", disconnected: "disconnected", unconfirmed: "not confirmed" } satisfies Record<Schemas["PatternRepository"]["state"], string>,
  confirmed: "Its code may be quoted in public reviews",
  confirmedSays: "Needed if it is private and the tenant has public repositories.",
  act: "Remove",
  removeOf: (repository: string) => `Remove: ${repository}`,
  removeTitle: (repository: string) => `Remove ${repository}?`,
  removeSays: "It can be added again.",
};
