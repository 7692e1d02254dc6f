import type { Schemas } from "@/api/queries";
import { entriesOf } from "@/ui/lines";

export type Connection = Schemas["ProviderConnection"];

/** The hosts that a connection can be made to, in the order in which they are offered. GitHub is connected by an app. */
export const built = ["gitlab", "bitbucket-cloud", "bitbucket-dc", "gitea", "forgejo", "azure-devops"] as const;

export type Built = (typeof built)[number];

export const isBuilt = (kind: string): kind is Built => (built as readonly string[]).includes(kind);

/** The values of a connection's form. */
export interface Entered extends Record<string, unknown> {
  kind: Built;
  name: string;
  baseUrl: string;
  owner: string;
  username: string;
  token: string;
  /** Directory and application of a service principal of Microsoft Entra; both are empty for a personal access token. */
  entraTenant: string;
  entraClient: string;
  all: boolean;
  repositories: string;
  registerWebhooks: boolean;
}

export const newConnection: Entered = { kind: "gitlab", name: "", baseUrl: "", owner: "", username: "", token: "", entraTenant: "", entraClient: "", all: true, repositories: "", registerWebhooks: true };

export const enteredOf = (c: Connection): Entered => ({
  kind: isBuilt(c.kind) ? c.kind : "gitlab",
  name: c.name,
  baseUrl: c.baseUrl,
  owner: c.owner,
  username: c.username ?? "",
  token: "",
  entraTenant: c.entraTenant ?? "",
  entraClient: c.entraClient ?? "",
  all: c.repositories === "all",
  repositories: c.repositories === "all" ? "" : (c.repositories as string[]).join("\n"),
  registerWebhooks: c.registerWebhooks,
});

/** The chosen repositories: all, or the entered names, one per line. */
export function chosen(v: Entered): "all" | string[] {
  if (v.all) return "all";
  return entriesOf(v.repositories);
}

/**
 * The address of the host and the owner. If no owner is entered, it is taken out of the address of the owner's page, such as
 * https://git.example.com/acme: at GitLab the path up to "/-/", which may nest, on dev.azure.com organisation and project, elsewhere a path of
 * one part. Azure DevOps Server has a path of its own in its address, so its owner is entered.
 */
export function placeOf(v: Pick<Entered, "kind" | "baseUrl" | "owner">): { baseUrl: string; owner: string } {
  const entered = { baseUrl: v.baseUrl.trim(), owner: v.owner.trim() };
  if (entered.owner !== "" || !URL.canParse(entered.baseUrl)) return entered;
  const at = new URL(entered.baseUrl);
  const path = decodeURI(at.pathname).replace(/^\/+|\/+$/g, "");
  const owner = v.kind === "gitlab" ? path.replace(/^groups\//, "").split("/-/")[0]! : v.kind === "azure-devops" ? path.split("/_")[0]! : path;
  const most = v.kind === "gitlab" ? 20 : v.kind === "azure-devops" && at.hostname === "dev.azure.com" ? 2 : 1;
  if (!/^https?:$/.test(at.protocol) || at.search !== "" || owner === "" || owner.split("/").length > most) return entered;
  return { baseUrl: at.origin, owner };
}

/** The body that makes a connection. */
export const createBody = (v: Entered) => ({
  kind: v.kind,
  name: v.name.trim(),
  ...(v.baseUrl.trim() === "" ? {} : { baseUrl: placeOf(v).baseUrl }),
  owner: placeOf(v).owner,
  ...(v.kind === "bitbucket-cloud" && v.username.trim() !== "" ? { username: v.username.trim() } : {}),
  token: v.token.trim(),
  ...(v.kind === "azure-devops" && v.entraTenant.trim() !== "" ? { entraTenant: v.entraTenant.trim(), entraClient: v.entraClient.trim() } : {}),
  repositories: chosen(v),
  registerWebhooks: v.registerWebhooks,
});

/** The body that changes a connection. Unchanged values and an empty token are left out. */
export function updateBody(before: Entered, v: Entered): Schemas["ProviderConnectionUpdate"] {
  const out: Schemas["ProviderConnectionUpdate"] = {};
  if (v.name.trim() !== before.name) out.name = v.name.trim();
  if (v.baseUrl.trim() !== before.baseUrl && v.baseUrl.trim() !== "") out.baseUrl = v.baseUrl.trim();
  if (v.owner.trim() !== before.owner) out.owner = v.owner.trim();
  if (v.username.trim() !== before.username) out.username = v.username.trim() === "" ? null : v.username.trim();
  if (v.token.trim() !== "") out.token = v.token.trim();
  if (v.entraTenant.trim() !== before.entraTenant) out.entraTenant = v.entraTenant.trim() === "" ? null : v.entraTenant.trim();
  if (v.entraClient.trim() !== before.entraClient) out.entraClient = v.entraClient.trim() === "" ? null : v.entraClient.trim();
  if (JSON.stringify(chosen(v)) !== JSON.stringify(chosen(before))) out.repositories = chosen(v);
  if (v.registerWebhooks !== before.registerWebhooks) out.registerWebhooks = v.registerWebhooks;
  return out;
}
