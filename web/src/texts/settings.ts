import type { Schemas } from "@/api/queries";
import type { instanceGroups } from "@/pages/instance/settingsTable";
import type { DefaultsName, groups } from "@/pages/policy/table";
import type { TenantName, tenantGroups } from "@/pages/settings/tenantTable";
import { many } from "./many";
import { settingNames } from "./names";

/** The texts of one setting: its name, one sentence, and its values if they are words. */
export interface Words {
  label: string;
  help: string;
  values?: Readonly<Record<string, string>>;
  /** The meaning of an empty list, if it is not "nothing". */
  empty?: string;
}

const severities = { critical: "critical", high: "high and above", medium: "medium and above", low: "low and above", info: "everything", none: "never by severity" };

/** Texts of the pages of settings. */
export const settings = {
  on: "On",
  off: "Off",
  empty: "none",
  notSaid: "not given",
  takeDefault: (value: string) => `Use the default: ${value}`,
  takeDefaultOf: (value: string, label: string) => `Use the default: ${value} (${label})`,
  onePerLine: "One per line.",
  atMost: (n: number) => `At most ${n}.`,
  entry: (n: number, says: string) => `Line ${n}: ${says}`,
  range: (min: number, max: number) => `From ${min} to ${max}.`,
  unbuilt: "not built yet",
  none: "None",
  locked: "Locked by the tenant",
  lock: "Lock for repositories",
  lockOf: (label: string) => `Lock for repositories: ${label}`,
  locks: "Settings that repositories must not change",
  notInEffect: "Not in effect:",
  acts: (value: string) => `In effect: ${value}.`,
  nothingChanged: "No changes.",
  changed: (n: number) => (n === 1 ? "1 setting is changed, but not saved." : `${n} settings are changed, but not saved.`),
  review: "Review the changes",
  drop: "Discard my changes",
  groups: "Groups of settings",
  find: "Search these settings",
  changedOnly: "Changed only",
  changedOnlyHelp: "Settings that are set here, or changed and not saved.",
  unfoldAll: "Open all groups",
  foldAll: "Close all groups",
  count: (n: number, set: number) => `${n === 1 ? "1 setting" : `${n} settings`}, ${set} set here.`,
  found: (n: number, all: number) => (n === 1 ? `1 setting of ${all} found.` : `${n} settings of ${all} found.`),
  setIn: (set: number, all: number) => (set > 0 ? `${set} of ${all} set here` : all === 1 ? "1 setting" : `${all} settings`),
  lockedIn: (n: number) => `${n} locked`,
  noneFound: (words: string) => `No setting matches “${words}”. Try another word, or show all settings.`,
  noneChangedFound: (words: string) => `No changed setting matches “${words}”. Switch off “Changed only” to search all settings.`,
  noneChanged: "No setting is set here. Switch off “Changed only” to see the settings, and change one of them.",
  showAll: "Show all settings",
  searchAll: "Search all settings",
  readOnly: "You can read these settings. Their managers can change them.",

  origin: {
    default: "built in",
    tenant: "tenant's default",
    newRepositories: "new repository",
    repository: "set here",
    file: ".assay.yaml",
  } satisfies Record<Schemas["FeatureSetting"]["origin"], string>,
  originHere: "set here",
  fileCounts: (value: string) => `.assay.yaml of the default branch counts instead: ${value}.`,

  saving: {
    title: "Changes to save",
    caption: "Changes by setting",
    setting: "Setting",
    before: "Now",
    after: "After saving",
    inherited: (value: string) => `${value} (the default)`,
    back: "Continue editing",
  },

  met: {
    title: "Another person has saved these settings in the meantime.",
    says: "Your changes were not saved. They are still here, on top of the other person's changes:",
    both: (labels: string) => `You have both changed: ${labels}. Your value stands below; saving replaces theirs.`,
    take: (label: string) => `Use theirs: ${label}`,
    caption: "Changes of the other person",
    seen: "OK",
  },

  whatIf: {
    ask: "What would this have changed?",
    asks: "Compares with the last 20 published reviews. Nothing is changed, and no model is called.",
    noReviews: "No review is published yet, so there is nothing to compare with.",
    changed: (n: number, all: number) => `${n === 0 ? "None" : n} of the ${many(all, "published review", "published reviews")} that were compared would show other findings.`,
    added: (n: number) => `${many(n, "more finding", "more findings")} would be shown`,
    dropped: (n: number) => `${many(n, "finding", "findings")} would not be shown`,
    rerouted: (n: number) => `${n} would be shown elsewhere`,
    checkOnly: (n: number) => `${n} would be only a check, because the change is clean`,
    heads: (n: number, before: number, after: number) => `The check would block ${after} of the last ${many(n, "head", "heads")}; now it blocks ${before}.`,
    blocked: "would be blocked",
    unblocked: "would no longer be blocked",
    skipped: (n: number) => `${n} older reviews could not be compared`,
    known: { exact: "exact", partly: "partly known", unknown: "unknown" },
    to: { inline: "on a line", summary: "in the summary", stored: "not shown", none: "not found" },
    moved: (from: string, to: string) => `${from} → ${to}`,
    caption: "Settings, and how well their effect is known",
    offer: "Test it in a dry run",
    offerSays: "Reviews these pull requests again with a model and writes nothing to the code host. It costs as much as the reviews.",
    begun: "The dry run has started.",
    toRuns: "Watch it",
  },
};

/** Headings of the groups of settings. */
export const groupNames: Readonly<Record<(typeof groups)[number] | (typeof tenantGroups)[number] | (typeof instanceGroups)[number], string>> = {
  start: "When reviews run",
  files: "Reviewed files",
  says: "Content and form of reviews",
  publishing: "Publishing and the check",
  categories: "Kinds of findings",
  checks: "Checks and files of the repository",
  triage: "The first look, and labels",
  tenant: "The tenant",
  people: "People and permissions",
  formerBudget: "Budget",
  instance: "The instance",
  sessions: "Sessions",
  retention: "Retention",
  network: "Reachable networks",
};

const category = (label: string, help: string): Words => ({ label, help });
const unreviewed = (label: string, help: string): Words => ({ label, help, values: { none: "as for all ends", pass: "passes", neutral: "is neutral, which hosts let pass", fail: "fails" } });

/** Texts of each setting of a review policy, and of the defaults of a tenant. */
export const policyWords: Readonly<Record<DefaultsName, Words>> = {
  reviewNewRepositories: {
    label: "New repositories",
    help: "Handling of repositories that are new here. Existing repositories keep their state.",
    values: { on: "are reviewed at once", onboarding: "have a trial first, until a person accepts", off: "wait until a person turns reviews on" },
  },
  enabled: { label: "Reviews", help: "Pull requests are reviewed." },
  "triggers.opened": { label: "When opened", help: "Opening or reopening a pull request starts a review." },
  "triggers.push": { label: "When pushed to", help: "A push to the pull request starts a review." },
  "triggers.ready": { label: "When ready", help: "A draft that becomes ready starts a review." },
  "triggers.draft": { label: "Drafts", help: "Drafts are reviewed as well." },
  "triggers.includeBots": { label: "Bots", help: "Pull requests by bots are reviewed as well." },
  "triggers.labels": { label: "Required labels", help: "A pull request needs one of these labels.", empty: "no label is needed" },
  "triggers.targetBranches": { label: "Target branches", help: "Patterns of branches that pull requests go into.", empty: "every branch" },
  "triggers.excludedAuthors": { label: "Excluded authors", help: "Login names whose pull requests are not reviewed, in any letter case." },
  outsideContributors: {
    label: "Contributions from outside",
    help: "Review of pull requests from forks, or from authors without write access. Built in: a smaller review in public repositories, the full review in others.",
    values: { full: "the full review", reduced: "a smaller review", onRequest: "only on request" },
  },
  "paths.include": { label: "Included files", help: "Path patterns.", empty: "every file" },
  "paths.exclude": { label: "Excluded files", help: "Path patterns of files that are left out." },
  profile: { label: "Strictness", help: "How certain a finding must be to become a comment.", values: { quiet: "quiet: only certain findings", balanced: "balanced", assertive: "assertive: also less certain findings" } },
  minSeverity: { label: "Minimum severity", help: "Findings below it are stored, but not published.", values: severities },
  minConfidence: { label: "Lowest confidence", help: "Findings of a model below it are stored, but not published." },
  maxInlineComments: { label: "Comments on lines", help: "Maximum of one review; further findings are listed in its summary." },
  language: { label: "Language of reviews", help: "A tag such as en or de. The fixed texts in fr, es, pt, ja and zh are machine-made. With another tag, the model writes that language, and the fixed texts are English." },
  fixes: { label: "Fixes", help: "How far a fix may go.", values: { off: "none", suggestions: "suggestions in comments", branch: "a branch", commit: "a commit" } },
  publishMode: {
    label: "Publishing",
    help: "Handling of a finished review.",
    values: { auto: "at once", approval: "after an approval", "summary-only": "only the summary", silent: "never: reviews are stored here" },
  },
  approvalExpiryHours: { label: "Approval timeout (hours)", help: "A review that is not approved in this time expires, and nothing is published." },
  quietWhenNothingNew: { label: "Quiet when nothing is new", help: "A further review that found nothing new edits the summary instead of adding a review." },
  cleanReview: { label: "Clean changes", help: "What a change gets that was read whole and has no findings.", values: { summary: "a review with a summary", check: "its check, and no comment" } },
  "check.failOn": { label: settingNames.failOn, help: "Findings of this severity and above. Secrets and mandatory rules fail it in any case.", values: severities },
  "check.unreviewed.preset": {
    label: "The check without a complete review",
    help: "The check of a head that has no complete review. The settings for single ends win over it.",
    values: { default: "passes, as each end usually does", strict: "fails: only reviewed heads can be merged" },
  },
  "check.unreviewed.failed": unreviewed("After a failed review", "The review failed."),
  "check.unreviewed.incomplete": unreviewed("After an incomplete review", "No model read a part of the change, or no model is configured. Findings can make it worse."),
  "check.unreviewed.budget": unreviewed("After the budget was used up", "The budget for models was used up before the review was complete. Findings can make it worse."),
  "check.unreviewed.skipped": unreviewed("Without a review", "The policy does not have the pull request reviewed, such as a draft."),
  "check.unreviewed.outsider": unreviewed("Contributions from outside", "They wait for a request, or exceed the reviews of an hour."),
  "check.unreviewed.cancelled": unreviewed("After a cancelled review", "The review was cancelled, rejected, not approved in time, or superseded."),
  "categories.bug": category("Bugs", "Code that does the wrong thing."),
  "categories.security": category("Security", "Code that lets people do things without permission."),
  "categories.performance": category("Performance", "Code that is needlessly slow or large."),
  "categories.concurrency": category("Concurrency", "Races, deadlocks, lost updates."),
  "categories.api": category("Interfaces", "Interfaces that break their callers or mislead them."),
  "categories.test": category("Tests", "Tests that prove nothing."),
  "categories.maintainability": category("Maintainability", "Code that is hard to change."),
  "categories.docs": category("Documents", "Comments and documents that are wrong."),
  "categories.rule": category("Rules", "Violations of rules; mandatory rules apply anyway."),
  "categories.secret": category("Secrets", "Secrets in the code; those found without a model are published anyway."),
  "categories.static-analysis": category("Static analysis", "Findings of analysers."),
  "deterministic.secrets": { label: "Search for secrets", help: "A check without a model." },
  uploadWaitMinutes: { label: "Wait for uploads (minutes)", help: "A review waits this long for the results of analysers that a pipeline uploads for its commit." },
  "deterministic.staticAnalysis": { label: "Static analysis", help: "Checks without a model." },
  "deterministic.analysers": { label: "Analysers", help: "Programs that the operator has set up, by their names, such as shellcheck. None: no program runs." },
  guidelineFiles: { label: "Guideline files", help: "Sentences of files such as AGENTS.md that code can violate become rules of severity low." },
  hostIssues: { label: "Issues of the code host", help: "Issues that a pull request closes, as by “Closes #12”, are read, and their acceptance criteria are judged." },
  finderLookups: { label: "Look-ups before findings", help: "Models may look up code before they report findings: four times in a pass, at depth T2 and above. It costs more input." },
  analyserExplanations: { label: "Explain results of analysers", help: "The strong model explains the results of analysers and orders those of equal severity, in one call of a review. It removes none." },
  ciAnalysis: { label: "Explain failed jobs", help: "Failed jobs of a pull request are explained in one comment.", values: { off: "none", required: "those that the host requires for a merge", all: "all" } },
  repositoryFile: { label: "The file .assay.yaml", help: "Settings that the file in the base branch can change. Locked settings stay.", values: { ignore: "none", narrow: "only settings that ask for less", full: "all that are not locked" } },
  triage: { label: "The first look", help: "How the kind of a change, its areas and its labels are determined.", values: { heuristic: "from paths and numbers of lines", model: "by the model of the tier fast" } },
  triageLabels: { label: "Set labels", help: "Labels that the first look suggests are set, each once. Never if reviews are stored here." },
  triageLabelNames: { label: "Labels to choose from", help: "Created in the repository if they are missing. None: its own labels that name a kind, a size, a risk or an area." },
};

/** Texts of each setting of a tenant. */
export const tenantWords: Readonly<Record<TenantName, Words>> = {
  name: { label: "Name", help: "Name of the tenant here." },
  timeZone: { label: "Time zone", help: "For times in messages to channels. The console shows times of the browser; figures count days of UTC." },
  currency: { label: "Currency", help: "Currency of costs. Only USD is possible until costs are converted." },
  monthlyBudgetMicros: { label: "Monthly budget of the settings", help: "It raises alerts while the page Costs has no budget, and stops nothing. Set the budget there, and 0 here: this setting then goes away." },
  hostOwnersAreAdmins: { label: "Owners on the host are administrators", help: "Owners of the account or organisation on the code host are administrators here." },
  collaborators: { label: "Outside collaborators", help: "Role of an outside collaborator of a repository here.", values: { none: "none", member: "a member" } },
  membersWithoutHostRole: { label: "Members without a role on the host", help: "Their permission on a repository where the host gives them no role.", values: { none: "none", view: "read" } },
  authorMayApprove: { label: "Authors approve their own", help: "The author of a pull request may approve and reject its review, and dismiss secrets and violations of mandatory rules." },
  requiredIdentityProviderId: { label: "Required identity provider", help: "Memberships are valid only in sessions that came from it, and in those of one-time links. You must have signed in with it to set it." },
};
