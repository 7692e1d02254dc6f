import type { Schemas } from "@/api/queries";
import type { instanceGroups } from "@/pages/instance/settingsTable";
import type { DefaultsName, groups } from "@/pages/policy/table";
import type { TenantName, tenantGroups } from "@/pages/settings/tenantTable";

/** What is said of one setting: its name, one sentence, and its values where they are words. */
export interface Words {
  label: string;
  help: string;
  values?: Readonly<Record<string, string>>;
  /** What a list without anything in it means, where that is not nothing. */
  empty?: string;
}

const severities = { critical: "critical", high: "high and above", medium: "medium and above", low: "low and above", info: "everything", none: "never by severity" };

/** What the pages of settings say. */
export const settings = {
  on: "On",
  off: "Off",
  empty: "none",
  notSaid: "not said",
  setHere: "Set here",
  setHereOf: (label: string) => `Set here: ${label}`,
  takeDefault: "Take the default",
  takeDefaultOf: (label: string) => `Take the default: ${label}`,
  onePerLine: "One in each line.",
  atMost: (n: number) => `At most ${n}.`,
  entry: (n: number, says: string) => `Line ${n}: ${says}`,
  range: (min: number, max: number) => `From ${min} to ${max}.`,
  unbuilt: "not built yet",
  none: "None",
  locked: "Locked by the tenant",
  lock: "Repositories may not change this",
  lockOf: (label: string) => `Repositories may not change this: ${label}`,
  locks: "Settings that repositories must not change",
  notInEffect: "Not in effect:",
  acts: (value: string) => `In effect: ${value}.`,
  nothingChanged: "Nothing is changed.",
  changed: (n: number) => (n === 1 ? "1 setting is changed, and not saved." : `${n} settings are changed, and not saved.`),
  review: "Look at the difference",
  drop: "Drop my changes",
  groups: "Groups of settings",
  readOnly: "You may look at these settings. Who manages them can change them.",

  origin: {
    default: "built in",
    tenant: "tenant's default",
    newRepositories: "new repository",
    repository: "set here",
    file: ".assay.yaml",
  } satisfies Record<Schemas["FeatureSetting"]["origin"], string>,
  originHere: "set here",

  saving: {
    title: "Changes to save",
    caption: "The difference, setting by setting",
    setting: "Setting",
    before: "Now",
    after: "Then",
    inherited: (value: string) => `${value} (the default)`,
    back: "Go on changing",
  },

  met: {
    title: "Another person has saved these settings meanwhile.",
    says: "Your changes were not saved. They are still here, on top of the other person's changes:",
    both: (labels: string) => `You have both changed: ${labels}. Your value stands below; saving replaces theirs.`,
    take: (label: string) => `Take theirs: ${label}`,
    caption: "Changes of the other person",
    seen: "I have seen it",
  },

  whatIf: {
    ask: "What would this have changed?",
    asks: "Looks back at the last 20 published reviews. Nothing is changed, and no model is asked.",
    reviews: (n: number) => (n === 1 ? "1 published review was looked at" : `${n} published reviews were looked at`),
    noReviews: "No review was published yet, so there is nothing to look back at.",
    changed: (n: number) => `${n} of them would have been another one`,
    added: (n: number) => `${n} findings more would be shown`,
    dropped: (n: number) => `${n} findings would not be shown`,
    rerouted: (n: number) => `${n} would be shown elsewhere`,
    skipped: (n: number) => `${n} older reviews could not be looked at`,
    known: { exact: "exact", partly: "partly known", unknown: "not known" },
    to: { inline: "on a line", summary: "in the summary", stored: "not shown", none: "not found" },
    moved: (from: string, to: string) => `${from} → ${to}`,
    caption: "Settings, and how well it is known what they change",
    how: "Known",
    why: "Unknown",
    offer: "Find it out in a dry run",
    offerSays: "Reviews these pull requests again with a model, and writes nothing to the code host. It costs as much as the reviews.",
    begun: "The dry run has begun.",
    toRuns: "Watch it",
  },
};

/** Headings of the groups of settings. */
export const groupNames: Readonly<Record<(typeof groups)[number] | (typeof tenantGroups)[number] | (typeof instanceGroups)[number], string>> = {
  start: "When reviews are made",
  files: "Reviewed files",
  says: "Content and form of reviews",
  publishing: "Publishing and the check",
  categories: "Kinds of findings",
  checks: "Checks and files of the repository",
  triage: "The first look, and labels",
  tenant: "The tenant",
  people: "People and what they may do",
  instance: "The instance",
  sessions: "How long people stay signed in",
  retention: "How long things are kept",
  network: "Reachable networks",
};

const category = (label: string, help: string): Words => ({ label, help });

/** What is said of each setting of a review policy, and of the defaults of a tenant. */
export const policyWords: Readonly<Record<DefaultsName, Words>> = {
  reviewNewRepositories: {
    label: "New repositories",
    help: "Handling of repositories that appear. Existing repositories keep their state.",
    values: { on: "are reviewed at once", onboarding: "are tried out first, until a person accepts", off: "wait until a person switches them on" },
  },
  enabled: { label: "Reviews", help: "Pull requests are reviewed." },
  "triggers.opened": { label: "When opened", help: "Opening or reopening a pull request starts a review." },
  "triggers.push": { label: "When pushed to", help: "A push to the pull request starts a review." },
  "triggers.ready": { label: "When ready", help: "A draft that becomes ready starts a review." },
  "triggers.draft": { label: "Drafts, too", help: "Drafts are reviewed as well." },
  "triggers.includeBots": { label: "Bots, too", help: "Pull requests by bots are reviewed as well." },
  "triggers.labels": { label: "Needed labels", help: "A pull request needs one of these labels.", empty: "no label is needed" },
  "triggers.targetBranches": { label: "Target branches", help: "Patterns of branches that pull requests go into.", empty: "every branch" },
  "triggers.excludedAuthors": { label: "Authors left out", help: "Login names whose pull requests are not reviewed, in any letter case." },
  outsideContributors: {
    label: "Contributions from outside",
    help: "Review of pull requests from forks, or from authors without write access. Built in: a smaller review in public repositories, the whole one in others.",
    values: { full: "the same review", reduced: "a smaller review", onRequest: "none until a person asks" },
  },
  "paths.include": { label: "Files that are reviewed", help: "Path patterns.", empty: "every file" },
  "paths.exclude": { label: "Files that are not", help: "Path patterns of files that are left out." },
  profile: { label: "Strictness", help: "How sure a finding must be to become a comment.", values: { quiet: "quiet: only what is sure", balanced: "balanced", assertive: "assertive: also what is less sure" } },
  minSeverity: { label: "Lowest severity", help: "Findings below it are stored, and not published.", values: severities },
  minConfidence: { label: "Lowest confidence", help: "Findings of a model below it are stored, and not published." },
  maxInlineComments: { label: "Comments on lines", help: "The most that one review makes; further findings stand in its summary." },
  language: { label: "Language of reviews", help: "A tag such as en, de, fr, es, pt, ja or zh. With any other the model writes that language, and the words around it are English." },
  fixes: { label: "Fixes", help: "How far a fix may go.", values: { off: "none", suggestions: "suggestions in comments", branch: "a branch", commit: "a commit" } },
  publishMode: {
    label: "Publishing",
    help: "Handling of a finished review.",
    values: { auto: "at once", approval: "after an approval", "summary-only": "the summary alone", silent: "never: reviews are kept here" },
  },
  approvalExpiryHours: { label: "Hours to approve", help: "How long a review waits for approval. Then it expires, and nothing is published." },
  quietWhenNothingNew: { label: "Quiet when nothing is new", help: "A further review that found nothing new edits the summary instead of adding a review." },
  "check.failOn": { label: "The check fails on", help: "Findings of this severity and above. Secrets and mandatory rules fail it in any case.", values: severities },
  "categories.bug": category("Bugs", "Code that does the wrong thing."),
  "categories.security": category("Security", "Code that lets people do things without permission."),
  "categories.performance": category("Performance", "Code that is needlessly slow or large."),
  "categories.concurrency": category("Concurrency", "Races, deadlocks, lost updates."),
  "categories.api": category("Interfaces", "Interfaces that break their callers or mislead them."),
  "categories.test": category("Tests", "Tests that prove nothing."),
  "categories.maintainability": category("Maintainability", "Code that is hard to change."),
  "categories.docs": category("Documents", "Comments and documents that say what is not so."),
  "categories.rule": category("Rules", "Violations of rules; mandatory rules apply anyway."),
  "categories.secret": category("Secrets", "Secrets in the code; findings of the check without a model are published anyway."),
  "categories.static-analysis": category("Static analysis", "Findings of analysers."),
  "deterministic.secrets": { label: "Look for secrets", help: "A check that needs no model." },
  "deterministic.staticAnalysis": { label: "Look with analysers", help: "Checks that need no model." },
  guidelineFiles: { label: "Guideline files", help: "Sentences of files such as AGENTS.md that a line of code can break are rules of severity low." },
  repositoryFile: { label: "The file .assay.yaml", help: "Settings that the file in the base branch can change.", values: { ignore: "nothing", narrow: "it may ask for less", full: "everything that is not locked" } },
  triage: { label: "The first look", help: "How the kind of a change, its areas and its labels are found out.", values: { heuristic: "by paths and numbers of lines", model: "with the model of the tier fast" } },
  triageLabels: { label: "Set labels", help: "Labels that the first look suggests are set, each once. Never where reviews are kept here." },
  triageLabelNames: { label: "Labels to choose from", help: "Made in the repository where it lacks them; none: its own whose names say a kind, a size, a risk or an area." },
};

/** What is said of each setting of a tenant. */
export const tenantWords: Readonly<Record<TenantName, Words>> = {
  name: { label: "Name", help: "Name of the tenant here." },
  timeZone: { label: "Time zone", help: "For the times in messages to channels; the console shows those of its reader, and figures count days of UTC." },
  currency: { label: "Currency", help: "Currency of the shown sums. Only USD is possible until sums are converted." },
  monthlyBudgetMicros: { label: "Monthly budget", help: "Cost of models in a month (UTC) that raises an alert; 0: no alert. The budget that stops spending stands in the model policy." },
  hostOwnersAreAdmins: { label: "Owners on the host are administrators", help: "Who owns the account or organisation on the code host is an administrator here." },
  collaborators: { label: "Outside collaborators", help: "Role of an outside collaborator of a repository here.", values: { none: "none", member: "a member" } },
  membersWithoutHostRole: { label: "Members without a role on the host", help: "Their permission on a repository without a role of the host.", values: { none: "nothing", view: "look at it" } },
  authorMayApprove: { label: "Authors decide on their own", help: "The author of a pull request may approve and reject what is published about it, and dismiss secrets and what breaks a mandatory rule." },
  requiredIdentityProviderId: { label: "Needed identity provider", help: "Memberships hold only in sessions that came from it, and in those of one-time links. You must have signed in by it to set it." },
};
