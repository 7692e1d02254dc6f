import { expect, test } from "vitest";
import { fieldText, meetRule, newRule, previewed } from "./form";
import { readSearch } from "./route";

test("a rule is previewed when it says what to look for", () => {
  expect(previewed(newRule, undefined)).toBeUndefined();
  expect(previewed({ ...newRule, instruction: "x" }, undefined)).toMatchObject({ title: "…", instruction: "x", paths: [] });
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
