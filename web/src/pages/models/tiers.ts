import { requiredTiers, type ReviewTier } from "@/api/models";
import type { Schemas } from "@/api/queries";

/** A tier as it is entered; a number field is "" where it is empty. */
export type TierValues = { credentialId: string; model: string; reasoningEffort: string; contextTokens: number | string };

/** The values of the tenant's routing form. */
export type Values = {
  tiers: Record<ReviewTier, TierValues> & { embeddings: { credentialId: string; model: string; vectorSize: string } };
  usePanel: boolean;
  useEmbeddings: boolean;
  repositoryCredentialIds: string[];
  allowedRegions: string[];
  allowTools: boolean;
};

export const tierValues = (of: Schemas["LlmTier"] | undefined): TierValues => ({ credentialId: of?.credentialId ?? "", model: of?.model ?? "", reasoningEffort: of?.reasoningEffort ?? "default", contextTokens: of?.contextTokens ?? "" });

/** The form as the policy fills it. */
export function valuesOf(p: Schemas["LlmPolicy"], firstSize: number): Values {
  const { embeddings } = p.tiers;
  return {
    tiers: {
      fast: tierValues(p.tiers.fast),
      standard: tierValues(p.tiers.standard),
      strong: tierValues(p.tiers.strong),
      panel: tierValues(p.tiers.panel),
      embeddings: { credentialId: embeddings?.credentialId ?? "", model: embeddings?.model ?? "", vectorSize: String(embeddings?.vectorSize ?? firstSize) },
    },
    usePanel: p.tiers.panel !== undefined,
    useEmbeddings: embeddings !== undefined,
    repositoryCredentialIds: p.repositoryCredentialIds,
    allowedRegions: p.allowedRegions ?? [],
    allowTools: p.allowTools ?? false,
  };
}

/** A tier as it is sent. */
export function tierBody(v: TierValues): Schemas["LlmTier"] {
  return {
    credentialId: v.credentialId,
    model: v.model.trim(),
    ...(v.reasoningEffort === "default" ? {} : { reasoningEffort: v.reasoningEffort as NonNullable<Schemas["LlmTier"]["reasoningEffort"]> }),
    ...(typeof v.contextTokens === "number" ? { contextTokens: v.contextTokens } : {}),
  };
}

/** Whether a value is entered for a required tier. */
export const touched = (v: Values): boolean => requiredTiers.some((t) => v.tiers[t].credentialId !== "" || v.tiers[t].model.trim() !== "");

/** The request body. Budget and limits of the policy stay, because they are set elsewhere. */
export function body(before: Schemas["LlmPolicy"], v: Values): Schemas["TenantLlmPolicy"] {
  const tiers: NonNullable<Schemas["TenantLlmPolicy"]["tiers"]> = {};
  if (touched(v)) for (const t of requiredTiers) tiers[t] = tierBody(v.tiers[t]);
  if (v.usePanel) tiers.panel = tierBody(v.tiers.panel);
  if (v.useEmbeddings) {
    const e = v.tiers.embeddings;
    tiers.embeddings = { credentialId: e.credentialId, model: e.model.trim(), vectorSize: Number(e.vectorSize) as Schemas["LlmEmbeddingsTier"]["vectorSize"] };
  }
  return {
    ...(Object.keys(tiers).length > 0 ? { tiers } : {}),
    repositoryCredentialIds: v.repositoryCredentialIds,
    ...(v.allowedRegions.length > 0 ? { allowedRegions: v.allowedRegions } : {}),
    ...(before.budget ? { budget: before.budget } : {}),
    ...(before.limits ? { limits: before.limits } : {}),
    ...(v.allowTools ? { allowTools: true } : {}),
  };
}

/** The tiers that lack a key or a model, if some have them. */
export function lacking(v: Values): { tier: ReviewTier; field: "credentialId" | "model" }[] {
  const wanted: ReviewTier[] = [...(touched(v) ? requiredTiers : []), ...(v.usePanel ? (["panel"] as const) : [])];
  return wanted.flatMap((tier) => (["credentialId", "model"] as const).filter((field) => v.tiers[tier][field].trim() === "").map((field) => ({ tier, field })));
}
