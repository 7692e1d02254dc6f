import { expect, test } from "vitest";
import type { Schemas } from "@/api/queries";
import { body, repositoryBody, valuesOf } from "./budget";
import { cachedShare, csv, daysOf, spans, stacked } from "./figures";
import { readSearch } from "./route";

const figures = (calls: number, costMicros: number | null): Schemas["CostFigures"] => ({ calls, costMicros, inputTokens: 10, cachedTokens: 5, cacheWriteTokens: 0, outputTokens: 1, reasoningTokens: 0, unpricedCalls: 0, estimatedCalls: 0 });
const row = (key: string, calls: number, cost: number | null): Schemas["CostRow"] => ({ key, name: key, ...figures(calls, cost) });

const costs: Schemas["Costs"] = {
  from: "2026-11-01",
  to: "2026-11-03",
  groupBy: "model",
  currency: "USD",
  items: [row("cheap", 1, 1_000_000), row("dear", 2, 6_000_000), row("own", 1, null), row("tiny", 1, 10)],
  total: figures(5, 7_000_010),
  byDay: [
    { day: "2026-11-01", calls: 3, costMicros: 4_000_010, parts: [{ key: "dear", calls: 1, costMicros: 3_000_000 }, { key: "cheap", calls: 1, costMicros: 1_000_000 }] },
    { day: "2026-11-03", calls: 2, costMicros: 3_000_000, parts: [{ key: "dear", calls: 1, costMicros: 3_000_000 }, { key: "own", calls: 1, costMicros: null }] },
  ],
};

test("every day has a bar, the most expensive group is at the bottom, and the others are combined", () => {
  const { series, days } = stacked(costs);
  expect(series.map((s) => s.name)).toEqual(["dear", "cheap", "own", "others"]);
  expect(days.map((d) => d.values)).toEqual([[3_000_000, 1_000_000, 0, 10], [0, 0, 0, 0], [3_000_000, 0, 0, 0]]);
  expect(days[2]!.says[2]).toBe("unknown"); // unknown is not zero
  expect(days[1]!.total).toBe("$0.00");
});

test("bars of days alone have one part", () => {
  const { series, days } = stacked({ ...costs, groupBy: "day", items: [row("2026-11-02", 1, null)] });
  expect(series).toHaveLength(1);
  expect(days.map((d) => d.total)).toEqual(["$0.00", "unknown", "$0.00"]);
});

test("days and spans are of UTC, over the ends of months", () => {
  expect(daysOf("2026-02-27", "2026-03-01")).toEqual(["2026-02-27", "2026-02-28", "2026-03-01"]);
  expect(daysOf("2026-03-02", "2026-03-01")).toEqual([]);
  expect(spans(new Date("2026-01-05T23:30:00Z"))).toEqual({ thisMonth: { from: "2026-01-01", to: "2026-01-05" }, lastMonth: { from: "2025-12-01", to: "2025-12-31" }, last30: { from: "2025-12-07", to: "2026-01-05" } });
});

test("a file for spreadsheets has no formulas, and unknown costs are empty", () => {
  const lines = csv({ ...costs, items: [row('=1+"2"', 1, null)] }).split("\r\n");
  expect(lines[0]).toBe("model,name,currency,calls,inputTokens,cachedTokens,cacheWriteTokens,outputTokens,reasoningTokens,costMicros,unpricedCalls,estimatedCalls");
  expect(lines[1]).toBe(`"'=1+""2""","'=1+""2""",USD,1,10,5,0,1,0,,0,0`);
});

test("the share of cached input", () => {
  expect(cachedShare({ inputTokens: 10, cachedTokens: 5 })).toBe(0.5);
  expect(cachedShare({ inputTokens: 0, cachedTokens: 0 })).toBeUndefined();
});

test("filters of an address", () => {
  expect(readSearch({ from: "2026-11-01", to: "yesterday", by: "tier", repository: "rep_1" })).toEqual({ from: "2026-11-01", by: "tier", repository: "rep_1" });
  expect(readSearch({ by: "person", from: "2026-13-99" })).toEqual({});
});

test("a budget is sent with the rest of the policy", () => {
  const policy: Schemas["LlmPolicy"] = { tiers: {}, repositoryCredentialIds: ["crd_1"], version: 1, budget: { monthlyMicros: 2_500_000, currency: "USD", mode: "soft" } };
  const values = valuesOf(policy);
  expect(values.budget.monthlyMicros).toBe(2.5);
  expect(body(policy, { ...values, budget: { monthlyMicros: 0.1, mode: "hard" }, limits: { maxTokensPerReview: 20_000, maxCostMicrosPerReview: "", maxCostMicrosPerPullRequest: 2.5 } })).toEqual({
    repositoryCredentialIds: ["crd_1"],
    budget: { monthlyMicros: 100_000, currency: "USD", mode: "hard" },
    limits: { maxTokensPerReview: 20_000, maxCostMicrosPerPullRequest: 2_500_000 },
  });
  expect(body(policy, { ...values, budget: { monthlyMicros: "", mode: "soft" } })).toEqual({ repositoryCredentialIds: ["crd_1"] });
});

test("the budget of a repository is sent with the rest of its policy, without empty values", () => {
  const own: Schemas["LlmPolicyParts"] = { tiers: { fast: { credentialId: "crd_1", model: "m" } }, allowTools: false, limits: { maxTokensPerReview: 30_000 } };
  const values = valuesOf(own);
  expect(values).toEqual({ budget: { monthlyMicros: "", mode: "soft" }, limits: { maxTokensPerReview: 30_000, maxCostMicrosPerReview: "", maxCostMicrosPerPullRequest: "" } });
  expect(repositoryBody(own, { budget: { monthlyMicros: 12.5, mode: "hard" }, limits: { maxTokensPerReview: "", maxCostMicrosPerReview: "", maxCostMicrosPerPullRequest: "" } })).toEqual({
    tiers: own.tiers,
    allowTools: false,
    budget: { monthlyMicros: 12_500_000, currency: "USD", mode: "hard" },
  });
});
