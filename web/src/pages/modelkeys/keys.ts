import type { Schemas } from "@/api/queries";
import { modelKeys as texts } from "@/texts/models";

export type Key = Schemas["LlmCredential"];
type Presets = Schemas["LlmPresets"];
type Kind = Key["kind"];

/** The values of a key's form. An empty number field is "". */
export type Values = { name: string; apiKey: string; removeKey: boolean; baseUrl: string; resource: string; region: string; dataRegion: string; maxConcurrency: number | string };

/** One thing to choose as provider: a kind, or a service with a compatible interface. */
export interface Provider {
  value: string;
  label: string;
  kind: Kind;
  preset: Presets["presets"][number] | undefined;
}

const other = "compatible";

/** The providers in the groups in which they are offered. */
export function providers(p: Presets): { group: string; items: Provider[] }[] {
  const plain = p.kinds.filter((k) => k.id !== "compatible").map((k) => ({ value: k.id, label: k.name, kind: k.id, preset: undefined }));
  const of = (group: Presets["presets"][number]["group"]): Provider[] => p.presets.filter((s) => s.group === group).map((s) => ({ value: `preset:${s.id}`, label: s.name, kind: "compatible", preset: s }));
  return [
    { group: texts.providers, items: plain },
    { group: texts.groups["eu-hosted"], items: of("eu-hosted") },
    { group: texts.groups.hosted, items: of("hosted") },
    { group: texts.groups["self-hosted"], items: [...of("self-hosted"), { value: other, label: texts.otherService, kind: "compatible", preset: undefined }] },
  ];
}

export const providerOf = (p: Presets, value: string): Provider | undefined => providers(p).flatMap((g) => g.items).find((i) => i.value === value);

/** The name of a key's provider. */
export function providerName(p: Presets, key: Pick<Key, "kind" | "preset">): string {
  const preset = p.presets.find((s) => s.id === key.preset);
  if (key.kind === "compatible" && preset) return preset.name;
  return p.kinds.find((k) => k.id === key.kind)?.name ?? key.kind;
}

/** The form as it is at first for a provider. */
export const emptyValues = (of: Provider): Values => ({ name: of.label, apiKey: "", removeKey: false, baseUrl: of.preset?.baseUrl ?? "", resource: "", region: "", dataRegion: of.preset?.dataRegion ?? "", maxConcurrency: "" });

export const valuesOf = (k: Key): Values => ({ name: k.name, apiKey: "", removeKey: false, baseUrl: k.baseUrl ?? "", resource: k.resource ?? "", region: k.region ?? "", dataRegion: k.dataRegion ?? "", maxConcurrency: k.maxConcurrency ?? "" });

const parts = ["baseUrl", "resource", "region", "dataRegion"] as const;

/** The fields that a kind of keys takes. */
export const takes = (p: Presets, kind: Kind): readonly string[] => p.kinds.find((k) => k.id === kind)?.fields ?? [];

const many = (value: number | string): number | undefined => (typeof value === "number" ? value : undefined);

/** The request for a new key. Empty values and values that the kind does not accept are left out. */
export function createBody(p: Presets, of: Provider, v: Values): Schemas["LlmCredentialCreate"] {
  const fields = takes(p, of.kind);
  const body: Schemas["LlmCredentialCreate"] = { name: v.name.trim(), kind: of.kind };
  if (v.apiKey !== "") body.apiKey = v.apiKey.trim();
  if (of.preset) body.preset = of.preset.id;
  for (const part of parts) if (fields.includes(part) && v[part].trim() !== "") body[part] = v[part].trim();
  const calls = many(v.maxConcurrency);
  if (calls !== undefined) body.maxConcurrency = calls;
  return body;
}

/** The request for a change: the changed values; null removes one. */
export function updateBody(p: Presets, before: Key, v: Values): Schemas["LlmCredentialUpdate"] {
  const fields = takes(p, before.kind);
  const was = valuesOf(before);
  const body: Schemas["LlmCredentialUpdate"] = {};
  if (v.name.trim() !== was.name) body.name = v.name.trim();
  if (v.apiKey !== "") body.apiKey = v.apiKey.trim();
  else if (v.removeKey) body.apiKey = null;
  for (const part of parts) {
    const now = v[part].trim();
    if (!fields.includes(part) || now === was[part]) continue;
    if (part === "region") body.region = now;
    else body[part] = now === "" ? null : now;
  }
  const calls = many(v.maxConcurrency);
  if (calls !== many(was.maxConcurrency)) body.maxConcurrency = calls ?? null;
  return body;
}

/** The newest test of each key, of a list that is newest first. before: the key was replaced since. */
export function lastTest(tests: readonly Schemas["LogEntry"][], key: Pick<Key, "id" | "apiKeyUpdatedAt">): { at: string; ok: boolean; note: string; before: boolean } | undefined {
  const found = tests.find((t) => t.target?.id === key.id);
  if (!found) return undefined;
  return { at: found.at, ok: found.result === "ok", note: found.note ?? "", before: key.apiKeyUpdatedAt !== undefined && Date.parse(found.at) < Date.parse(key.apiKeyUpdatedAt) };
}

/** The summary of a test's checks: good, good enough for its purpose, or bad. */
export function verdict(checks: readonly Schemas["LlmCheck"][]): "good" | "enough" | "bad" {
  const needed = ["key", "model", "embeddings", "reasoningEffort"];
  if (checks.every((c) => c.ok)) return "good";
  return checks.some((c) => !c.ok && needed.includes(c.name)) ? "bad" : "enough";
}
