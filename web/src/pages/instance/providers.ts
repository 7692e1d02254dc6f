import type { Schemas } from "@/api/queries";
import { entriesOf } from "@/ui/lines";

export type Provider = Schemas["IdentityProvider"];

/** The values of an identity provider's form. */
export interface Entered extends Record<string, unknown> {
  displayName: string;
  slug: string;
  issuer: string;
  clientId: string;
  clientSecret: string;
  scopes: string;
  all: boolean;
  tenants: string;
  hostUserId: { host: string };
  listed: boolean;
  enabled: boolean;
}

export const newProvider: Entered = { displayName: "", slug: "", issuer: "", clientId: "", clientSecret: "", scopes: "", all: true, tenants: "", hostUserId: { host: "" }, listed: true, enabled: true };

export const enteredOf = (p: Provider): Entered => ({
  displayName: p.displayName,
  slug: p.slug,
  issuer: p.issuer,
  clientId: p.clientId,
  clientSecret: "",
  scopes: p.scopes.join("\n"),
  all: p.tenants === "all",
  tenants: p.tenants === "all" ? "" : (p.tenants as string[]).join("\n"),
  hostUserId: { host: p.hostUserId?.host ?? "" },
  listed: p.listed,
  enabled: p.enabled,
});

const tenantsOf = (v: Entered): "all" | string[] => (v.all ? "all" : entriesOf(v.tenants));

/** The body that enters a provider. */
export const createBody = (v: Entered): Schemas["IdentityProviderCreate"] => ({
  displayName: v.displayName.trim(),
  slug: v.slug.trim(),
  issuer: v.issuer.trim(),
  clientId: v.clientId.trim(),
  clientSecret: v.clientSecret.trim(),
  ...(entriesOf(v.scopes).length === 0 ? {} : { scopes: entriesOf(v.scopes) }),
  tenants: tenantsOf(v),
  ...(v.hostUserId.host.trim() === "" ? {} : { hostUserId: { host: v.hostUserId.host.trim() } }),
  listed: v.listed,
  enabled: v.enabled,
});

/** The body that changes a provider. Unchanged values and an empty secret are left out. */
export function updateBody(before: Entered, v: Entered): Schemas["IdentityProviderUpdate"] {
  const out: Schemas["IdentityProviderUpdate"] = {};
  for (const name of ["displayName", "slug", "clientId"] as const) if (v[name].trim() !== before[name]) out[name] = v[name].trim();
  if (v.clientSecret.trim() !== "") out.clientSecret = v.clientSecret.trim();
  if (JSON.stringify(entriesOf(v.scopes)) !== JSON.stringify(entriesOf(before.scopes))) out.scopes = entriesOf(v.scopes);
  if (JSON.stringify(tenantsOf(v)) !== JSON.stringify(tenantsOf(before))) out.tenants = tenantsOf(v);
  const host = v.hostUserId.host.trim();
  if (host !== before.hostUserId.host) out.hostUserId = host === "" ? null : { host };
  for (const name of ["listed", "enabled"] as const) if (v[name] !== before[name]) out[name] = v[name];
  return out;
}
