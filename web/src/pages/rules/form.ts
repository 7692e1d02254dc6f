import { meet } from "@/pages/settings/document";
import type { Value } from "@/pages/settings/table";
import { findings } from "@/texts/findings";
import { rules } from "@/texts/rules";
import { settings } from "@/texts/settings";
import { linesOf } from "@/ui/lines";
import type { Rule, RuleCreate, RuleUpdate } from "./place";

/** The values of a rule's form, with lists as lines. */
export type RuleForm = {
  title: string;
  instruction: string;
  paths: string;
  languages: string;
  severity: RuleCreate["severity"];
  enabled: boolean;
  mandatory: boolean;
  /** The kind of the pattern that checks the rule; "" if a model does. */
  matcher: "" | NonNullable<RuleCreate["matcher"]>["kind"];
  /** The language of a pattern of code. */
  language: string;
  pattern: string;
};

export const newRule: RuleForm = { title: "", instruction: "", paths: "", languages: "", severity: "medium", enabled: true, mandatory: false, matcher: "", language: "go", pattern: "" };

export const formOf = (r: Rule): RuleForm => ({ title: r.title, instruction: r.instruction, paths: r.paths.join("\n"), languages: r.languages.join("\n"), severity: r.severity, enabled: r.enabled, mandatory: r.mandatory, matcher: r.matcher?.kind ?? "", language: (r.matcher?.language || "go").toLowerCase(), pattern: r.matcher?.pattern ?? "" });

/** The new rule in a form. */
export const ruleOf = (f: RuleForm): RuleCreate => ({
  title: f.title.trim(),
  instruction: f.instruction.trim(),
  paths: linesOf(f.paths),
  languages: linesOf(f.languages),
  severity: f.severity,
  enabled: f.enabled,
  mandatory: f.mandatory,
  ...(f.matcher === "" ? {} : { matcher: { kind: f.matcher, pattern: f.pattern, ...(f.matcher === "ast" ? { language: f.language } : {}) } }),
});

/** The changed rule in a form: without a matcher, the stored one is removed. */
export const changeOf = (f: RuleForm): RuleUpdate => ({ matcher: null, ...ruleOf(f) });

/** The rule for a preview; undefined if the form is too incomplete. A missing title gets a placeholder. */
export function previewed(f: RuleForm): RuleCreate | undefined {
  const rule = ruleOf(f);
  if (rule.instruction === "" || rule.matcher?.pattern === "") return undefined;
  return { ...rule, title: rule.title === "" ? "…" : rule.title };
}

type Field = keyof RuleForm;

const fields: readonly Field[] = ["title", "instruction", "paths", "languages", "severity", "enabled", "mandatory", "matcher", "language", "pattern"];

/**
 * The result of two people changing a rule at the same time: the newest version with the person's
 * changes, the other person's changes, and the conflicts.
 */
export function meetRule(before: RuleForm, newest: RuleForm, mine: RuleForm): { draft: RuleForm; theirs: readonly { name: Field; before: Value | undefined; after: Value | undefined }[]; both: readonly Field[] } {
  const met = meet(fields, before, newest, mine);
  return { draft: { ...newest, ...(met.draft as Partial<RuleForm>) }, theirs: met.theirs.map((c) => ({ ...c, name: c.name as Field })), both: met.both as readonly Field[] };
}

/** A value of a rule's field for readers. */
export function fieldText(name: Field, value: Value | undefined): string {
  if (typeof value === "boolean") return value ? settings.on : settings.off;
  if (name === "severity") return findings.severities[value as RuleForm["severity"]];
  if (name === "matcher") return rules.form.matchers[value as RuleForm["matcher"]];
  if (name === "language") return rules.form.languageOf[value as keyof typeof rules.form.languageOf] ?? String(value);
  return String(value ?? "")
    .split("\n")
    .filter((line) => line !== "")
    .join(", ");
}
