import type { Setting } from "@/pages/settings/table";

const severities = ["critical", "high", "medium", "low", "info"] as const;
const unreviewed = ["pass", "neutral", "fail"] as const;

// The settings of a review policy. table.test.ts holds them to the description of the
// interface and to docs/policy/settings.md: one that is added there and missing here fails.
export const policyTable = [
  { name: "enabled", group: "start", kind: "switch", builtIn: true },
  { name: "triggers.opened", group: "start", kind: "switch", builtIn: true },
  { name: "triggers.push", group: "start", kind: "switch", builtIn: true },
  { name: "triggers.ready", group: "start", kind: "switch", builtIn: true },
  { name: "triggers.draft", group: "start", kind: "switch", builtIn: false },
  { name: "triggers.includeBots", group: "start", kind: "switch", builtIn: false },
  { name: "triggers.labels", group: "start", kind: "list", most: 50, builtIn: [] },
  { name: "triggers.targetBranches", group: "start", kind: "list", most: 50, builtIn: [] },
  { name: "triggers.excludedAuthors", group: "start", kind: "list", most: 200, builtIn: [] },
  { name: "outsideContributors", group: "start", kind: "choice", options: ["full", "reduced", "onRequest"], builtIn: "full" },
  { name: "paths.include", group: "files", kind: "list", most: 100, builtIn: [] },
  { name: "paths.exclude", group: "files", kind: "list", most: 100, builtIn: [] },
  { name: "profile", group: "says", kind: "choice", options: ["quiet", "balanced", "assertive"], builtIn: "balanced" },
  { name: "minSeverity", group: "says", kind: "choice", options: severities, builtIn: "info" },
  { name: "minConfidence", group: "says", kind: "number", min: 0, max: 1, step: 0.05, builtIn: 0 },
  { name: "maxInlineComments", group: "says", kind: "number", min: 0, max: 40, builtIn: 10 },
  { name: "language", group: "says", kind: "text", min: 2, max: 35, builtIn: "en" },
  { name: "fixes", group: "says", kind: "choice", options: ["off", "suggestions", "branch", "commit"], builtIn: "suggestions" },
  { name: "publishMode", group: "publishing", kind: "choice", options: ["auto", "approval", "summary-only", "silent"], builtIn: "auto" },
  { name: "approvalExpiryHours", group: "publishing", kind: "number", min: 1, max: 720, builtIn: 72 },
  { name: "quietWhenNothingNew", group: "publishing", kind: "switch", builtIn: false },
  { name: "cleanReview", group: "publishing", kind: "choice", options: ["summary", "check"], builtIn: "summary" },
  { name: "check.failOn", group: "publishing", kind: "choice", options: severities, none: true, builtIn: null },
  { name: "check.unreviewed.preset", group: "publishing", kind: "choice", options: ["default", "strict"], builtIn: "default" },
  { name: "check.unreviewed.failed", group: "publishing", kind: "choice", options: unreviewed, none: true, builtIn: null },
  { name: "check.unreviewed.incomplete", group: "publishing", kind: "choice", options: unreviewed, none: true, builtIn: null },
  { name: "check.unreviewed.budget", group: "publishing", kind: "choice", options: unreviewed, none: true, builtIn: null },
  { name: "check.unreviewed.skipped", group: "publishing", kind: "choice", options: unreviewed, none: true, builtIn: null },
  { name: "check.unreviewed.outsider", group: "publishing", kind: "choice", options: unreviewed, none: true, builtIn: null },
  { name: "check.unreviewed.cancelled", group: "publishing", kind: "choice", options: unreviewed, none: true, builtIn: null },
  { name: "categories.bug", group: "categories", kind: "switch", builtIn: true },
  { name: "categories.security", group: "categories", kind: "switch", builtIn: true },
  { name: "categories.performance", group: "categories", kind: "switch", builtIn: true },
  { name: "categories.concurrency", group: "categories", kind: "switch", builtIn: true },
  { name: "categories.api", group: "categories", kind: "switch", builtIn: true },
  { name: "categories.test", group: "categories", kind: "switch", builtIn: true },
  { name: "categories.maintainability", group: "categories", kind: "switch", builtIn: true },
  { name: "categories.docs", group: "categories", kind: "switch", builtIn: true },
  { name: "categories.rule", group: "categories", kind: "switch", builtIn: true },
  { name: "categories.secret", group: "categories", kind: "switch", builtIn: true },
  { name: "categories.static-analysis", group: "categories", kind: "switch", builtIn: true },
  { name: "deterministic.secrets", group: "checks", kind: "switch", builtIn: true },
  { name: "deterministic.staticAnalysis", group: "checks", kind: "switch", builtIn: true },
  { name: "uploadWaitMinutes", group: "checks", kind: "number", min: 0, max: 10, builtIn: 0 },
  { name: "deterministic.analysers", group: "checks", kind: "list", most: 20, builtIn: [] },
  { name: "guidelineFiles", group: "checks", kind: "switch", builtIn: false },
  { name: "hostIssues", group: "checks", kind: "switch", builtIn: false },
  { name: "finderLookups", group: "checks", kind: "switch", builtIn: false },
  { name: "analyserExplanations", group: "checks", kind: "switch", builtIn: false },
  { name: "ciAnalysis", group: "checks", kind: "choice", options: ["off", "required", "all"], builtIn: "off" },
  { name: "repositoryFile", group: "checks", kind: "choice", options: ["ignore", "narrow", "full"], builtIn: "ignore" },
  { name: "triage", group: "triage", kind: "choice", options: ["heuristic", "model"], builtIn: "heuristic" },
  { name: "triageLabels", group: "triage", kind: "switch", builtIn: false },
  { name: "triageLabelNames", group: "triage", kind: "list", most: 50, builtIn: [] },
] as const satisfies readonly Setting[];

// What the defaults of a tenant say besides; what they lock stands beside each setting.
export const defaultsTable = [{ name: "reviewNewRepositories", group: "start", kind: "choice", options: ["on", "onboarding", "off"], builtIn: "on" }, ...policyTable] as const satisfies readonly Setting[];

export type DefaultsName = (typeof defaultsTable)[number]["name"];

export const groups = ["start", "files", "says", "publishing", "categories", "checks", "triage"] as const;
