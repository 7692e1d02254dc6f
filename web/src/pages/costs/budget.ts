import { policyBody, repositoryPolicyBody, without } from "@/api/models";
import type { Schemas } from "@/api/queries";

const micros = 1_000_000;

/** Budget and limits as entered, in dollars; "" is no limit. */
export type Values = {
  budget: { monthlyMicros: number | string; mode: "soft" | "hard" };
  limits: { maxTokensPerReview: number | string; maxCostMicrosPerReview: number | string; maxCostMicrosPerPullRequest: number | string };
};

const dollars = (v: number | undefined): number | string => (v === undefined ? "" : v / micros);

/** The form as a policy fills it, of the tenant or of a repository. */
export const valuesOf = (p: Pick<Schemas["LlmPolicyParts"], "budget" | "limits">): Values => ({
  budget: { monthlyMicros: dollars(p.budget?.monthlyMicros), mode: p.budget?.mode ?? "soft" },
  limits: {
    maxTokensPerReview: p.limits?.maxTokensPerReview ?? "",
    maxCostMicrosPerReview: dollars(p.limits?.maxCostMicrosPerReview),
    maxCostMicrosPerPullRequest: dollars(p.limits?.maxCostMicrosPerPullRequest),
  },
});

function entered(v: Values): Pick<Schemas["RepoLlmPolicy"], "budget" | "limits"> {
  const { maxTokensPerReview: tokens, maxCostMicrosPerReview: cost, maxCostMicrosPerPullRequest: pull } = v.limits;
  const limits = {
    ...(typeof tokens === "number" ? { maxTokensPerReview: tokens } : {}),
    ...(typeof cost === "number" ? { maxCostMicrosPerReview: Math.round(cost * micros) } : {}),
    ...(typeof pull === "number" ? { maxCostMicrosPerPullRequest: Math.round(pull * micros) } : {}),
  };
  return {
    ...(typeof v.budget.monthlyMicros === "number" ? { budget: { monthlyMicros: Math.round(v.budget.monthlyMicros * micros), currency: "USD", mode: v.budget.mode } } : {}),
    ...(Object.keys(limits).length > 0 ? { limits } : {}),
  };
}

/** The tenant's policy with what is entered; the rest of it stays. */
export const body = (p: Schemas["LlmPolicy"], v: Values): Schemas["TenantLlmPolicy"] => ({ ...without(policyBody(p), "budget", "limits"), ...entered(v) });

/** The same of a repository's own policy. */
export const repositoryBody = (own: Schemas["LlmPolicyParts"], v: Values): Schemas["RepoLlmPolicy"] => ({ ...without(repositoryPolicyBody(own), "budget", "limits"), ...entered(v) });
