import { expect, test } from "vitest";
import { changeOf, fieldText, formOf, meetRule, newRule, previewed, ruleOf } from "./form";
import type { Rule } from "./place";
import { readSearch } from "./route";

test("a rule is previewed when it says what to look for", () => {
  expect(previewed(newRule)).toBeUndefined();
  expect(previewed({ ...newRule, instruction: "x" })).toMatchObject({ title: "…", instruction: "x", paths: [] });
});

test("a pattern is part of the rule, and its removal is said", () => {
  const regex = { ...newRule, instruction: "x", matcher: "regex" as const, pattern: " a|b " };
  expect(ruleOf(regex).matcher).toEqual({ kind: "regex", pattern: " a|b " });
  expect(ruleOf({ ...regex, matcher: "ast" }).matcher).toEqual({ kind: "ast", pattern: " a|b ", language: "go" });
  expect(ruleOf({ ...regex, matcher: "ast", language: "python" }).matcher).toEqual({ kind: "ast", pattern: " a|b ", language: "python" });
  expect(formOf({ ...ruleOf({ ...regex, matcher: "ast", language: "java" }), paths: [], languages: [] } as unknown as Rule).language).toBe("java");
  expect([fieldText("language", "typescript"), fieldText("language", "odd")]).toEqual(["TypeScript, with TSX", "odd"]);
  expect(ruleOf({ ...regex, matcher: "" })).not.toHaveProperty("matcher");
  expect(changeOf({ ...regex, matcher: "" }).matcher).toBeNull();
  expect(changeOf(regex).matcher).toEqual({ kind: "regex", pattern: " a|b " });
  expect(previewed({ ...regex, pattern: "" })).toBeUndefined();
  expect(formOf({ ...ruleOf(regex), paths: [], languages: [] } as unknown as Rule)).toMatchObject({ matcher: "regex", pattern: " a|b " });
});

test("an address opens its rule", () => {
  expect(readSearch({ edit: "new" })).toEqual({ edit: "new" });
  expect(readSearch({ edit: "a/b" })).toEqual({});
  expect(readSearch({ edit: 5 })).toEqual({});
});

test("the person's changes are applied to another person's saved version", () => {
  const before = { ...newRule, title: "Wrap errors", paths: "a/**" };
  const met = meetRule(before, { ...before, title: "Wrap all errors", enabled: false }, { ...before, title: "Wrap", paths: "b/**" });
  expect(met.draft).toEqual({ ...before, title: "Wrap", paths: "b/**", enabled: false });
  expect(met.theirs.map((c) => c.name)).toEqual(["title", "enabled"]);
  expect(met.both).toEqual(["title"]);
});

test("values of fields are written for readers", () => {
  expect([fieldText("enabled", false), fieldText("paths", "a\n\nb"), fieldText("severity", "high"), fieldText("title", undefined)]).toEqual(["Off", "a, b", "high", ""]);
});
