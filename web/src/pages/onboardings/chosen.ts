import type { Schemas } from "@/api/queries";

export type Policy = Schemas["RepositoryPolicyUpdate"];
type Suggestion = Schemas["SuggestedSetting"];

const isRecord = (v: unknown): v is Record<string, unknown> => typeof v === "object" && v !== null && !Array.isArray(v);

function joined(a: Record<string, unknown>, b: Record<string, unknown>): Record<string, unknown> {
  const out = { ...a };
  for (const [key, value] of Object.entries(b)) {
    const before = out[key];
    out[key] = isRecord(before) && isRecord(value) ? joined(before, value) : value;
  }
  return out;
}

/** The policy from the accepted suggestions; undefined if no suggestion is accepted. */
export function chosenPolicy(all: readonly Suggestion[], taken: readonly string[]): Policy | undefined {
  const some = all.filter((s) => taken.includes(s.setting));
  if (some.length === 0) return undefined;
  return some.reduce<Record<string, unknown>>((policy, s) => joined(policy, s.policy), {}) as Policy;
}

/** The value of a setting in a policy, by its name with dots. */
export function valueAt(policy: unknown, setting: string): unknown {
  return setting.split(".").reduce<unknown>((at, part) => (isRecord(at) ? at[part] : undefined), policy);
}
