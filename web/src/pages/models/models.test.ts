import { expect, test } from "vitest";
import type { Schemas } from "@/api/queries";
import { models, withoutPrice, withPrice } from "./pricing";
import { readSearch } from "./route";
import { body, lacking, valuesOf } from "./tiers";

const tier = (model: string): Schemas["LlmTier"] => ({ credentialId: "crd_1", model, reasoningEffort: "default" });
const policy: Schemas["LlmPolicy"] = {
  tiers: { fast: tier("a"), standard: tier("b"), strong: { ...tier("c"), reasoningEffort: "high", contextTokens: 32_000 } },
  repositoryCredentialIds: ["crd_2"],
  budget: { monthlyMicros: 5, currency: "USD", mode: "hard" },
  limits: { maxTokensPerReview: 20_000 },
  allowTools: true,
  version: 4,
};

test("unchanged parts are sent again, because a policy is replaced as a whole", () => {
  expect(body(policy, valuesOf(policy, 1024))).toEqual({
    tiers: { fast: { credentialId: "crd_1", model: "a" }, standard: { credentialId: "crd_1", model: "b" }, strong: { credentialId: "crd_1", model: "c", reasoningEffort: "high", contextTokens: 32_000 } },
    repositoryCredentialIds: ["crd_2"],
    budget: policy.budget,
    limits: policy.limits,
    allowTools: true,
  });
  expect(body(policy, { ...valuesOf(policy, 1024), allowTools: false }).allowTools).toBeUndefined();
});

test("a panel is sent if it is wanted, and lacks nothing", () => {
  const values = valuesOf({ ...policy, tiers: { ...policy.tiers, panel: { credentialId: "crd_2", model: "d", reasoningEffort: "default" } } }, 384);
  expect(body(policy, values).tiers?.panel).toEqual({ credentialId: "crd_2", model: "d" });
  values.tiers.panel.model = "";
  expect(lacking(values)).toEqual([{ tier: "panel", field: "model" }]);
  values.usePanel = false;
  expect(lacking(values)).toEqual([]);
  expect(body(policy, values).tiers?.panel).toBeUndefined();
});

test("all tiers or no tier", () => {
  const empty: Schemas["LlmPolicy"] = { tiers: {}, repositoryCredentialIds: [], version: 0 };
  const values = valuesOf(empty, 1024);
  expect(body(empty, values)).toEqual({ repositoryCredentialIds: [] });
  expect(lacking(values)).toEqual([]);
  values.tiers.fast = { credentialId: "crd_1", model: "a", reasoningEffort: "default", contextTokens: "" };
  expect(lacking(values)).toHaveLength(4);
});

const price = (model: string, more: Partial<Schemas["LlmPrice"]> = {}): Schemas["LlmPrice"] => ({ model, inputMicros: 1, outputMicros: 1, ...more });
const now = new Date("2026-11-23T12:00:00Z");
const dollars = { input: 0.25, output: 2, cacheRead: "", cacheWrite: 0 };

test("a new price replaces the present one, and others stay", () => {
  const items = [price("a", { kind: "openai" }), price("b")];
  expect(withPrice(items, "openai", "a", dollars, now)).toEqual([price("b"), { kind: "openai", model: "a", inputMicros: 250_000, outputMicros: 2_000_000, cacheWriteMicros: 0 }]);
});

test("if a price is in effect from a day on, the new one starts now, because the old one would continue otherwise", () => {
  const dated = price("a", { kind: "openai", from: "2026-11-01T00:00:00Z" });
  const all = withPrice([dated], "openai", "a", dollars, now);
  expect(all).toHaveLength(2);
  expect(all[1]).toMatchObject({ from: "2026-11-23T12:00:00.000Z", inputMicros: 250_000 });
  expect(withoutPrice(all, "openai", "a")).toEqual([]);
});

test("a model is shown once for each kind of key, with all that use it", () => {
  const routed = (use: "fast" | "strong", kind: "openai" | "azure") => ({ use, kind, model: "m", credentialId: "crd_1" });
  expect(models([routed("fast", "openai"), routed("strong", "openai"), routed("fast", "azure")]).map((m) => m.uses.length)).toEqual([2, 1]);
});

test("the repository of an address", () => {
  expect(readSearch({ repository: "rep_1", other: 1 })).toEqual({ repository: "rep_1" });
  expect(readSearch({ repository: "" })).toEqual({});
});
