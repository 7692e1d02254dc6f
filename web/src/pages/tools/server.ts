import type { Schemas } from "@/api/queries";

export type Server = Schemas["McpServer"];

/** The values of a tool server's form. */
export interface Entered extends Record<string, unknown> {
  name: string;
  url: string;
  auth: { kind: "none" | "bearer" | "header"; header: string; secret: string };
  timeoutSeconds: number;
  enabled: boolean;
}

const usualTimeout = 20; // in seconds, the default of the service

export const newServer: Entered = { name: "", url: "", auth: { kind: "none", header: "", secret: "" }, timeoutSeconds: usualTimeout, enabled: true };

export const enteredOf = (s: Server): Entered => ({ name: s.name, url: s.url, auth: { kind: s.auth.kind, header: s.auth.header ?? "", secret: "" }, timeoutSeconds: s.timeoutSeconds, enabled: s.enabled });

function authOf(v: Entered): Schemas["McpAuth"] {
  const { kind, header, secret } = v.auth;
  if (kind === "none") return { kind };
  return { kind, ...(kind === "header" ? { header: header.trim() } : {}), ...(secret.trim() === "" ? {} : { secret: secret.trim() }) };
}

/** The body that makes a tool server. */
export const createBody = (v: Entered): Schemas["McpServerCreate"] => ({ name: v.name.trim(), url: v.url.trim(), auth: authOf(v), timeoutSeconds: v.timeoutSeconds, enabled: v.enabled });

/** The body that changes a tool server: what is as it was is left out. The sign-in goes as a whole, and only where something of it was entered, or the address changes. */
export function updateBody(before: Entered, v: Entered): Schemas["McpServerUpdate"] {
  const out: Schemas["McpServerUpdate"] = {};
  if (v.name.trim() !== before.name) out.name = v.name.trim();
  if (v.url.trim() !== before.url) out.url = v.url.trim();
  if (v.timeoutSeconds !== before.timeoutSeconds) out.timeoutSeconds = v.timeoutSeconds;
  if (v.enabled !== before.enabled) out.enabled = v.enabled;
  const otherAuth = v.auth.kind !== before.auth.kind || v.auth.header.trim() !== before.auth.header || v.auth.secret.trim() !== "";
  if (otherAuth || out.url !== undefined) out.auth = authOf(v);
  return out;
}

/** The tools that are allowed as they are: what has changed since is not. */
export const allowedOf = (s: Server): ReadonlySet<string> => new Set(s.tools.filter((t) => t.allowed && !t.changed).map((t) => t.name));

/** What is sent to allow tools: each as it is described now, so that one that changes meanwhile is refused. */
export const allowBody = (s: Server, allowed: ReadonlySet<string>): Schemas["McpToolAllowlist"] => ({ tools: s.tools.filter((t) => allowed.has(t.name)).map(({ name, digest }) => ({ name, digest })) });

/** What a tool takes, for people: every name and text of it stands there. */
export const readable = (schema: NonNullable<Server["tools"][number]["schema"]>): string => JSON.stringify(schema, null, 2);
