import { queryOptions } from "@tanstack/react-query";
import { api, ok } from "./client";
import { keys, type Schemas } from "./queries";

const minute = 60_000;

/** The fields of model keys. They change only with the version of the service. */
export const presetsQuery = queryOptions({
  queryKey: ["llm-presets"],
  queryFn: ({ signal }) => ok(api.GET("/api/llm-presets", { signal })),
  staleTime: 60 * minute,
});

/** All model keys of a tenant: there are at most a hundred. */
export const credentialsQuery = (tenantId: string) =>
  queryOptions({
    queryKey: keys.tenant(tenantId, "llm-credentials"),
    queryFn: async ({ signal }) => (await ok(api.GET("/api/tenants/{tenantId}/llm-credentials", { params: { path: { tenantId }, query: { limit: 200 } }, signal }))).items,
  });

/** The provider's list of models for a key. The service keeps it for ten minutes. */
export const modelsQuery = (tenantId: string, credentialId: string) =>
  queryOptions({
    queryKey: keys.tenant(tenantId, "llm-models", credentialId),
    queryFn: ({ signal }) => ok(api.GET("/api/tenants/{tenantId}/llm-credentials/{credentialId}/models", { params: { path: { tenantId, credentialId } }, signal })),
    enabled: credentialId !== "",
    staleTime: minute,
  });

/** The prices of the models in that list, by id, and the models that suit the tiers. */
export const modelPricesQuery = (tenantId: string, credentialId: string) =>
  queryOptions({
    queryKey: keys.tenant(tenantId, "llm-models", credentialId, "prices"),
    queryFn: async ({ signal }) => {
      const prices = await ok(api.GET("/api/tenants/{tenantId}/llm-credentials/{credentialId}/model-prices", { params: { path: { tenantId, credentialId } }, signal }));
      return { proposed: prices.proposed, byId: new Map(prices.items.map((m) => [m.id, m.price])) };
    },
    enabled: credentialId !== "",
    staleTime: minute,
  });

/** The tests of model keys, newest first, as the audit log has them. */
export const keyTestsQuery = (tenantId: string) =>
  queryOptions({
    queryKey: keys.tenant(tenantId, "llm-tests"),
    queryFn: async ({ signal }) => (await ok(api.GET("/api/tenants/{tenantId}/audit", { params: { path: { tenantId }, query: { action: "llm-credential.test", limit: 200 } }, signal }))).items,
  });

export const llmPolicyQuery = (tenantId: string) =>
  queryOptions({
    queryKey: keys.tenant(tenantId, "llm-policy"),
    queryFn: ({ signal }) => ok(api.GET("/api/tenants/{tenantId}/llm-policy", { params: { path: { tenantId } }, signal })),
  });

export const repositoryLlmPolicyQuery = (tenantId: string, repositoryId: string) =>
  queryOptions({
    queryKey: keys.tenant(tenantId, "llm-policy", repositoryId),
    queryFn: ({ signal }) => ok(api.GET("/api/tenants/{tenantId}/repositories/{repositoryId}/llm-policy", { params: { path: { tenantId, repositoryId } }, signal })),
    enabled: repositoryId !== "",
  });

export const pricesQuery = (tenantId: string) =>
  queryOptions({
    queryKey: keys.tenant(tenantId, "llm-prices"),
    queryFn: ({ signal }) => ok(api.GET("/api/tenants/{tenantId}/llm-prices", { params: { path: { tenantId } }, signal })),
  });

/** The version of a changed object, for If-Match. */
export const ifMatch = (of: { version: number }) => ({ "If-Match": `"v${of.version}"` });

export type Tier = "fast" | "standard" | "strong";

/** A tier whose calls belong to reviews: a required one, or the panel. */
export type ReviewTier = Tier | "panel";

/** The tiers that reviews use. Either all of them are routed, or no tier is. */
export const requiredTiers: readonly Tier[] = ["fast", "standard", "strong"];

/** A policy to send again with one changed part, because absent parts are removed. */
export function policyBody(p: Schemas["LlmPolicy"]): Schemas["TenantLlmPolicy"] {
  return {
    ...(Object.keys(p.tiers).length > 0 ? { tiers: p.tiers } : {}),
    repositoryCredentialIds: p.repositoryCredentialIds,
    ...(p.budget ? { budget: p.budget } : {}),
    ...(p.limits ? { limits: p.limits } : {}),
    ...(p.allowedRegions ? { allowedRegions: p.allowedRegions } : {}),
    ...(p.allowTools ? { allowTools: true } : {}),
  };
}

/** The same for a repository's. */
export function repositoryPolicyBody(own: Schemas["LlmPolicyParts"]): Schemas["RepoLlmPolicy"] {
  return {
    ...(Object.keys(own.tiers).length > 0 ? { tiers: own.tiers } : {}),
    ...(own.budget ? { budget: own.budget } : {}),
    ...(own.limits ? { limits: own.limits } : {}),
    ...(own.allowedRegions ? { allowedRegions: own.allowedRegions } : {}),
    ...(own.allowTools === undefined ? {} : { allowTools: own.allowTools }),
    ...(own.allowPanel === undefined ? {} : { allowPanel: own.allowPanel }),
  };
}

/** A copy without some of its parts. */
export function without<T extends object, K extends keyof T>(of: T, ...parts: K[]): Omit<T, K> {
  const out = { ...of };
  for (const part of parts) delete out[part];
  return out;
}
