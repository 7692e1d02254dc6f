import { policyBody, without } from "@/api/models";
import type { Schemas } from "@/api/queries";

const micros = 1_000_000;

/** Budget and limits as they are entered, in dollars; "" is none. */
export type Values = {
  budget: { monthlyMicros: number | string; mode: "soft" | "hard" };
  limits: { maxTokensPerReview: number | string; maxCostMicrosPerReview: number | string };
};

const dollars = (v: number | undefined): number | string => (v === undefined ? "" : v / micros);

export const valuesOf = (p: Schemas["LlmPolicy"]): Values => ({
  budget: { monthlyMicros: dollars(p.budget?.monthlyMicros), mode: p.budget?.mode ?? "soft" },
  limits: { maxTokensPerReview: p.limits?.maxTokensPerReview ?? "", maxCostMicrosPerReview: dollars(p.limits?.maxCostMicrosPerReview) },
});

/** The policy with what is entered; the rest of it stays. */
export function body(p: Schemas["LlmPolicy"], v: Values): Schemas["TenantLlmPolicy"] {
  const { maxTokensPerReview: tokens, maxCostMicrosPerReview: cost } = v.limits;
  const limits = { ...(typeof tokens === "number" ? { maxTokensPerReview: tokens } : {}), ...(typeof cost === "number" ? { maxCostMicrosPerReview: Math.round(cost * micros) } : {}) };
  return {
    ...without(policyBody(p), "budget", "limits"),
    ...(typeof v.budget.monthlyMicros === "number" ? { budget: { monthlyMicros: Math.round(v.budget.monthlyMicros * micros), currency: "USD", mode: v.budget.mode } } : {}),
    ...(Object.keys(limits).length > 0 ? { limits } : {}),
  };
}
