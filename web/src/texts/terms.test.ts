import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { category, changeKind, depth, endCause, risk, settingName, settingValue, size, trigger } from "./terms";

interface Schema {
  properties: Record<string, { enum?: string[]; items?: { enum?: string[] } }>;
}
const schemas = (JSON.parse(readFileSync("../api/openapi.json", "utf8")) as { components: { schemas: Record<string, Schema> } }).components.schemas;
const valuesOf = (schema: string, field: string) => (schemas[schema]?.properties[field]?.enum ?? []).filter((v) => v !== "");

describe("words for values", () => {
  it.each([
    ["kind", changeKind],
    ["risk", risk],
    ["size", size],
  ] as const)("there is one for each %s that a first look may have", (field, word) => {
    const values = valuesOf("TriageRun", field);
    expect(values.length).toBeGreaterThan(2);
    for (const v of values) expect(word(v) !== v || field === "risk", v).toBe(true); // low, medium and high are words
  });

  it("unknown values are shown unchanged", () => {
    for (const word of [category, changeKind, depth, endCause, settingName]) expect(word("constructor")).toBe("constructor");
  });

  it("a trigger is a sentence, also for an event without a text", () => {
    expect(trigger("pull_request.opened")).toBe("the pull request was opened");
    expect(trigger("pull_request.review_requested")).toBe("an event of the pull request: review requested");
    expect(trigger("rerun")).toBe("a person requested it again");
  });

  it("a setting has its name and the words of its value", () => {
    expect(settingName("minSeverity")).toBe("Minimum severity");
    expect(settingValue("minSeverity", "high")).toBe("high and above");
    expect(settingValue("categories.docs", false)).toBe("Off");
    expect(settingValue("paths.include", ["a/**", "b"])).toBe("a/**, b");
    expect(settingValue("paths.include", [])).toBe("none");
  });
});
