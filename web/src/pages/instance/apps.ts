import type { Schemas } from "@/api/queries";

export type App = Schemas["App"];

/** The values of an app's form. */
export interface Entered extends Record<string, unknown> {
  baseUrl: string;
  appId: string | number;
  clientId: string;
  slug: string;
  privateKey: string;
  webhookSecret: string;
  clientSecret: string;
  nextWebhookSecret: string;
}

export const newApp: Entered = { baseUrl: "", appId: "", clientId: "", slug: "", privateKey: "", webhookSecret: "", clientSecret: "", nextWebhookSecret: "" };

export const enteredOf = (a: App): Entered => ({ ...newApp, baseUrl: a.baseUrl, appId: a.appId, clientId: a.clientId, slug: a.slug });

/** The body that enters an app. */
export const createBody = (v: Entered): Schemas["GitHubAppRegister"] => ({
  appId: Number(v.appId),
  clientId: v.clientId.trim(),
  privateKey: v.privateKey.trim(),
  webhookSecret: v.webhookSecret.trim(),
  clientSecret: v.clientSecret.trim(),
  ...(v.baseUrl.trim() === "" ? {} : { baseUrl: v.baseUrl.trim() }),
  ...(v.slug.trim() === "" ? {} : { slug: v.slug.trim() }),
});

/** The body that changes an app. Unchanged values and an empty secret are left out. */
export function updateBody(before: Entered, v: Entered): Schemas["GitHubAppUpdate"] {
  const out: Schemas["GitHubAppUpdate"] = {};
  if (Number(v.appId) !== Number(before.appId)) out.appId = Number(v.appId);
  for (const name of ["baseUrl", "clientId", "slug"] as const) if (v[name].trim() !== before[name]) out[name] = v[name].trim();
  for (const name of ["privateKey", "webhookSecret", "clientSecret", "nextWebhookSecret"] as const) if (v[name].trim() !== "") out[name] = v[name].trim();
  return out;
}
