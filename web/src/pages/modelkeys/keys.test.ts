import { expect, test } from "vitest";
import type { Schemas } from "@/api/queries";
import { createBody, emptyValues, lastTest, providerName, providerOf, providers, updateBody, valuesOf, verdict, type Key } from "./keys";
import { matching } from "./search";

const presets: Schemas["LlmPresets"] = {
  kinds: [
    { id: "openai", name: "OpenAI", endpoint: "https://api.openai.com/v1", fields: ["dataRegion", "maxConcurrency"], keyRequired: true, model: "id", listsModels: true, embeddings: true },
    { id: "bedrock", name: "Amazon Bedrock", fields: ["region", "maxConcurrency"], keyRequired: true, model: "id", listsModels: true, embeddings: true },
    { id: "compatible", name: "OpenAI-compatible service", fields: ["preset", "baseUrl", "dataRegion", "maxConcurrency"], keyRequired: false, model: "id", listsModels: true, embeddings: true },
  ],
  presets: [
    { id: "scaleway", name: "Scaleway", group: "eu-hosted", baseUrl: "https://api.scaleway.ai/v1", dataRegion: "eu", key: true },
    { id: "ollama", name: "Ollama", group: "self-hosted", baseUrl: "http://localhost:11434/v1", key: false },
  ],
  regions: [],
  dataRegions: [],
  tiers: [],
  efforts: [],
  vectorSizes: [],
};

const stored: Key = { id: "crd_1", name: "a", kind: "compatible", preset: "scaleway", baseUrl: "https://api.scaleway.ai/v1", dataRegion: "eu", endpoint: "", apiKeySet: true, uses: 0, usedBy: [], version: 3, createdAt: "", updatedAt: "" };

test("every provider and service is offered once, under its own name", () => {
  expect(providers(presets).flatMap((g) => g.items.map((i) => i.label))).toEqual(["OpenAI", "Amazon Bedrock", "Scaleway", "Ollama", "Another compatible service"]);
  expect(providerName(presets, stored)).toBe("Scaleway");
  expect(providerName(presets, { kind: "openai" })).toBe("OpenAI");
});

test("a new key is sent with the values that its kind accepts, without empty ones", () => {
  const openai = providerOf(presets, "openai")!;
  expect(createBody(presets, openai, { ...emptyValues(openai), apiKey: " k ", baseUrl: "https://elsewhere", maxConcurrency: "" })).toEqual({ name: "OpenAI", kind: "openai", apiKey: "k" });
  const scaleway = providerOf(presets, "preset:scaleway")!;
  expect(createBody(presets, scaleway, { ...emptyValues(scaleway), apiKey: "k", maxConcurrency: 4 })).toEqual({
    name: "Scaleway",
    kind: "compatible",
    apiKey: "k",
    preset: "scaleway",
    baseUrl: "https://api.scaleway.ai/v1",
    dataRegion: "eu",
    maxConcurrency: 4,
  });
});

test("a change is sent with the changed values; the key stays unless another one is entered", () => {
  expect(updateBody(presets, stored, valuesOf(stored))).toEqual({});
  expect(updateBody(presets, stored, { ...valuesOf(stored), name: "b", dataRegion: "", maxConcurrency: 2 })).toEqual({ name: "b", dataRegion: null, maxConcurrency: 2 });
  expect(updateBody(presets, stored, { ...valuesOf(stored), apiKey: "new", removeKey: true })).toEqual({ apiKey: "new" });
  expect(updateBody(presets, stored, { ...valuesOf(stored), removeKey: true })).toEqual({ apiKey: null });
});

test("the newest test counts, with whether it tested a former key", () => {
  const entry = (at: string, result: "ok" | "failed", id = "crd_1") => ({ at, result, target: { kind: "llm-credential", id, name: "a" }, note: "" }) as unknown as Schemas["LogEntry"];
  const tests = [entry("2026-11-02T00:00:00Z", "ok"), entry("2026-11-01T00:00:00Z", "failed")];
  expect(lastTest(tests, stored)).toMatchObject({ ok: true, before: false });
  expect(lastTest(tests, { ...stored, apiKeyUpdatedAt: "2026-11-03T00:00:00Z" })).toMatchObject({ ok: true, before: true });
  expect(lastTest(tests, { ...stored, id: "crd_2" })).toBeUndefined();
});

test("a test is good enough if only checks that reviews do not need have failed", () => {
  const check = (name: Schemas["LlmCheck"]["name"], ok: boolean) => ({ name, ok, message: "" });
  expect(verdict([check("key", true), check("model", true)])).toBe("good");
  expect(verdict([check("key", true), check("tools", false)])).toBe("enough");
  expect(verdict([check("key", false)])).toBe("bad");
});

test("models are found by every word of the search", () => {
  const all = [
    { id: "gpt-5.4-mini", displayName: "GPT 5.4 mini" },
    { id: "gpt-5.4", displayName: "" },
  ];
  expect(matching(all, " MINI gpt").map((m) => m.id)).toEqual(["gpt-5.4-mini"]);
  expect(matching(all, "")).toHaveLength(2);
  expect(matching(all, "claude")).toEqual([]);
});
