import { expect, test } from "vitest";
import { chosenPolicy, valueAt } from "./chosen";

const all = [
  { setting: "minSeverity", policy: { minSeverity: "medium" as const }, reason: "Many." },
  { setting: "triggers.draft", policy: { triggers: { draft: false } }, reason: "Drafts." },
  { setting: "triggers.push", policy: { triggers: { push: false } }, reason: "Pushes." },
];

test("joins the accepted suggestions, setting by setting", () => {
  expect(chosenPolicy(all, ["minSeverity", "triggers.draft", "triggers.push"])).toEqual({ minSeverity: "medium", triggers: { draft: false, push: false } });
  expect(chosenPolicy(all, ["triggers.push"])).toEqual({ triggers: { push: false } });
  expect(chosenPolicy(all, [])).toBeUndefined();
});

test("finds a value by its name with dots", () => {
  expect(valueAt({ triggers: { draft: false } }, "triggers.draft")).toBe(false);
  expect(valueAt({ triggers: 3 }, "triggers.draft")).toBeUndefined();
});
