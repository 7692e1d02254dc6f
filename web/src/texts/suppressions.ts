import type { Schemas } from "@/api/queries";

type Of<T extends string> = Record<T, string>;

/** Texts of the page of what later reviews leave out. */
export const suppressions = {
  what: "What it leaves out",
  scope: "Scope",
  scopes: { fingerprint: "one finding", rule: "a rule", category: "a category" } satisfies Of<Schemas["Suppression"]["scope"]>,
  states: { proposed: "proposed", accepted: "accepted", declined: "declined", withdrawn: "withdrawn", expired: "expired" } satisfies Of<Schemas["Suppression"]["state"]>,
  everywhere: "in every file",
  within: (paths: string) => `in ${paths}`,
  upTo: (severity: string) => `findings up to ${severity}`,
  sources: { dismissal: "A person dismissed the finding.", command: "A person asked for it in a comment.", repetition: "Several people dismissed this.", usefulness: "People refused most findings of this rule." } satisfies Of<Schemas["Suppression"]["source"]>,
  by: (name: string) => (name ? `by ${name}` : "by the service"),
  until: "until",
  finding: "The finding that led to it",
  act: "Decide",
  decide: "Decide",
  decideOn: (what: string) => `Decide: ${what}`,
  decision: "Decision",
  decisions: { accept: "Accept: later reviews leave it out", decline: "Decline: later reviews report it" } satisfies Of<Schemas["SuppressionDecision"]["decision"]>,
  asProposed: "as proposed",
  paths: "Path patterns, one per line",
  pathsSay: "For a rule or a category. Empty: as proposed, or the folder of the finding.",
  line: (n: number, says: string) => `Line ${n}: ${says}`,
  expires: "Ends after this day (UTC)",
  note: "Note",
  decided: "The decision is stored.",
  withdraw: "Withdraw",
  withdrawOf: (what: string) => `Withdraw: ${what}`,
  withdrawSays: "Later reviews report again what it left out.",
  withdrawn: "The suppression is withdrawn.",
  all: "Show all suppressions",
  limits: "A rule or a category leaves out findings up to the severity that people refused. Secrets, and security findings of High and above, are left out by their fingerprint alone. Findings of mandatory rules are never left out.",
} as const;
