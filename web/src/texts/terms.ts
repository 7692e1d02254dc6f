import { tierNames } from "./models";
import { policyWords, settings } from "./settings";

/** Returns the word for a value. A value without a word is shown unchanged. */
export const wordOf =
  (words: Readonly<Record<string, string>>) =>
  (value: string): string =>
    Object.hasOwn(words, value) ? (words[value] ?? value) : value;

/** The category of a finding. */
export const category = (value: string): string => (Object.hasOwn(policyWords, `categories.${value}`) ? policyWords[`categories.${value}` as "categories.bug"].label : value);

/** The name of a policy setting, by its name with dots. */
export const settingName = (setting: string): string => (Object.hasOwn(policyWords, setting) ? policyWords[setting as keyof typeof policyWords].label : setting);

/** A value of such a setting, in words where it has some. */
export function settingValue(setting: string, value: unknown): string {
  if (value === true) return settings.on;
  if (value === false) return settings.off;
  if (value === undefined || value === null || value === "") return settings.empty;
  if (Array.isArray(value)) return value.length === 0 ? settings.empty : value.map((v) => settingValue(setting, v)).join(", ");
  if (typeof value !== "string") return JSON.stringify(value);
  return (Object.hasOwn(policyWords, setting) && policyWords[setting as keyof typeof policyWords].values?.[value]) || value;
}

const depths: Readonly<Record<string, string>> = { T0: "no model", T1: "small", T2: "ordinary", T3: "deep", T4: "deep, the riskiest parts" };

/** How deep a change was looked at: the word beside the sign, T2 (ordinary). */
export const depth = (tier: string): string => (Object.hasOwn(depths, tier) ? `${tier} (${depths[tier]})` : tier);

/** The words of a tier of models. */
export const tier = wordOf(tierNames);

/** How complete the model's part of a review is. */
export const modelState = wordOf({ complete: "complete", partial: "in part", unavailable: "not available", none: "not asked" });

/** The kind of a change, from triage. */
export const changeKind = wordOf({
  feature: "a feature",
  fix: "a fix",
  refactoring: "a refactoring",
  performance: "better performance",
  docs: "documents",
  test: "tests",
  dependencies: "changed dependencies",
  ci: "build and checks",
  config: "configuration",
  migration: "a migration",
  generated: "generated code",
  revert: "a revert",
  other: "something else",
});

export const risk = wordOf({ low: "low", medium: "medium", high: "high" });

/** How many lines a change has. */
export const size = wordOf({ xs: "very small (XS)", s: "small (S)", m: "medium (M)", l: "large (L)", xl: "very large (XL)" });

/** How a first look found out what it says. */
export const method = wordOf({ heuristic: "rules, without a model", model: "a model" });

/** The outcome of a model's call in the repository. */
export const toolOutcome = wordOf({ ok: "answered", refused: "refused: wrong arguments, or a limit", failed: "failed: too slow, or unreadable" });

/** How a finding belongs to the change. */
export const scope = wordOf({ introduced: "introduced by this change", exacerbated: "made worse by this change", pre_existing: "existed before", unrelated: "not related to this change" });

/** Why a run ended, in a few words. */
export const endCause = wordOf({
  published: "its review was published",
  policy: "the policy asks for no review here",
  superseded: "a newer head has its own review",
  retargeted: "the target branch changed, and the review onto the new one has its own run",
  closed: "the pull request was closed, or became a draft",
  gone: "the code host no longer shows the pull request",
  disconnected: "the repository is no longer connected",
  crashed: "it crashed its workers repeatedly",
  error: "an error",
  model_unavailable: "no model answered",
  model_fruitless: "no answer of a model was usable",
  model_rejected: "the provider refuses the request to the model",
  slot_busy: "another draft review is open on the pull request",
  deleted: "a person deleted its draft",
  refused: "the code host refuses the text of the review",
  rejected: "a person rejected it",
  expired: "no decision in time",
});

const triggers = wordOf({
  "pull_request.opened": "the pull request was opened",
  "pull_request.reopened": "the pull request was opened again",
  "pull_request.synchronize": "a push",
  "pull_request.ready_for_review": "the pull request became ready for review",
  "pull_request.labeled": "a label",
  "pull_request.edited": "the pull request was edited",
  "command.review": "a comment: /assay review",
  "command.review_full": "a comment: /assay review full",
  rerun: "a person requested it again",
  "request.review": "a person requested a first review",
  "found by the sweep": "the service found a head without a review",
});

/** The trigger of a run; for an event without a word here, the event's own name, spelled out. */
export const trigger = (event: string): string => {
  const said = triggers(event);
  return said === event && event.startsWith("pull_request.") ? `an event of the pull request: ${event.slice("pull_request.".length).replaceAll("_", " ")}` : said;
};
