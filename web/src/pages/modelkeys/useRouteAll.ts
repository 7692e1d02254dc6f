import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { api, ok } from "@/api/client";
import { credentialsQuery, ifMatch, llmPolicyQuery, policyBody, pricesQuery, requiredTiers } from "@/api/models";
import type { Schemas } from "@/api/queries";
import { routing } from "@/texts/models";
import { notice } from "@/ui/notice";

/** The policy of a tenant with the same key and model in every tier. Its other parts stay. */
export function routeAll(policy: Schemas["LlmPolicy"], tier: Schemas["LlmTier"]): Schemas["TenantLlmPolicy"] {
  const before = policyBody(policy);
  return { ...before, tiers: { ...before.tiers, ...Object.fromEntries(requiredTiers.map((t) => [t, tier])) } };
}

/** Offers one model for every tier if the tenant has not set any tier. */
export function useRouteAll(tenantId: string) {
  const client = useQueryClient();
  const policy = useQuery(llmPolicyQuery(tenantId)).data;
  const route = useMutation({
    mutationFn: async ({ policy, tier }: { policy: Schemas["LlmPolicy"]; tier: Schemas["LlmTier"] }) => {
      await ok(api.PUT("/api/tenants/{tenantId}/llm-policy", { params: { path: { tenantId }, header: ifMatch(policy) }, body: routeAll(policy, tier) }));
      return tier.model;
    },
    onSuccess: (model) => notice(routing.usesOne(model)),
    onSettled: () => [llmPolicyQuery(tenantId), pricesQuery(tenantId), credentialsQuery(tenantId)].forEach((q) => void client.invalidateQueries({ queryKey: q.queryKey })),
  });
  const offered = policy !== undefined && requiredTiers.every((t) => policy.tiers[t] === undefined);
  return { route, offered, use: (tier: Schemas["LlmTier"]) => policy && route.mutate({ policy, tier }) };
}
