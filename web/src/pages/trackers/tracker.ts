import type { Schemas } from "@/api/queries";
import { entriesOf } from "@/ui/lines";

export type Tracker = Schemas["TrackerConnection"];

/** The values of a tracker connection's form. Names are those of the interface if it has them, so that errors find their fields. */
export interface Entered extends Record<string, unknown> {
  kind: Tracker["kind"];
  name: string;
  baseUrl: string;
  auth: { kind: "token" | "oauth"; email: string; token: string; clientId: string; clientSecret: string };
  projects: string;
  mapping: { doneStates: string; linkBack: "none" | "comment" | "link"; acceptanceCriteria: { kind: "none" | "field" | "heading"; field: string; heading: string }; allowOnPublic: boolean };
  webhookSecret: string;
  enabled: boolean;
}

export const newTracker: Entered = {
  kind: "jira",
  name: "",
  baseUrl: "",
  auth: { kind: "token", email: "", token: "", clientId: "", clientSecret: "" },
  projects: "",
  mapping: { doneStates: "", linkBack: "none", acceptanceCriteria: { kind: "none", field: "", heading: "" }, allowOnPublic: false },
  webhookSecret: "",
  enabled: true,
};

export function enteredOf(t: Tracker): Entered {
  const criteria = t.mapping.acceptanceCriteria;
  return {
    kind: t.kind,
    name: t.name,
    baseUrl: t.baseUrl,
    auth: { kind: t.auth.kind, email: t.auth.email ?? "", token: "", clientId: t.auth.clientId ?? "", clientSecret: "" },
    projects: t.projects.join("\n"),
    mapping: {
      doneStates: t.mapping.doneStates.join("\n"),
      linkBack: t.mapping.linkBack,
      acceptanceCriteria: { kind: criteria?.field ? "field" : criteria?.heading ? "heading" : "none", field: criteria?.field ?? "", heading: criteria?.heading ?? "" },
      allowOnPublic: t.mapping.allowOnPublic ?? false,
    },
    webhookSecret: "",
    enabled: t.enabled,
  };
}

function authOf(v: Entered): Schemas["TrackerAuth"] {
  const { kind, email, token, clientId, clientSecret } = v.auth;
  if (kind === "oauth") return { kind, clientId: clientId.trim(), clientSecret: clientSecret.trim() };
  return { kind, token: token.trim(), ...(v.kind === "jira" && email.trim() !== "" ? { email: email.trim() } : {}) };
}

function mappingOf(v: Entered): Schemas["TrackerMapping"] {
  const { kind, field, heading } = v.mapping.acceptanceCriteria;
  return {
    doneStates: entriesOf(v.mapping.doneStates),
    linkBack: v.mapping.linkBack,
    ...(kind === "field" ? { acceptanceCriteria: { field: field.trim() } } : kind === "heading" ? { acceptanceCriteria: { heading: heading.trim() } } : {}),
    ...(v.mapping.allowOnPublic ? { allowOnPublic: true } : {}),
  };
}

const baseOf = (v: Entered) => (v.kind === "linear" ? "" : v.baseUrl.trim());

/** The body that makes a connection. */
export const createBody = (v: Entered): Schemas["TrackerConnectionCreate"] => ({
  kind: v.kind,
  name: v.name.trim(),
  ...(baseOf(v) === "" ? {} : { baseUrl: baseOf(v) }),
  auth: authOf(v),
  projects: entriesOf(v.projects),
  mapping: mappingOf(v),
  enabled: v.enabled,
});

/**
 * The body that changes a connection. Unchanged values are left out. The sign-in is sent as a whole,
 * and only if a part of it was entered.
 */
export function updateBody(before: Entered, v: Entered): Schemas["TrackerConnectionUpdate"] {
  const out: Schemas["TrackerConnectionUpdate"] = {};
  const differs = (a: unknown, b: unknown) => JSON.stringify(a) !== JSON.stringify(b);
  if (v.name.trim() !== before.name) out.name = v.name.trim();
  if (v.kind !== before.kind) out.kind = v.kind;
  if (baseOf(v) !== baseOf(before) && baseOf(v) !== "") out.baseUrl = baseOf(v);
  if (differs(v.auth, before.auth)) out.auth = authOf(v);
  if (differs(entriesOf(v.projects), entriesOf(before.projects))) out.projects = entriesOf(v.projects);
  if (differs(mappingOf(v), mappingOf(before))) out.mapping = mappingOf(v);
  if (v.webhookSecret.trim() !== "") out.webhookSecret = v.webhookSecret.trim();
  if (v.enabled !== before.enabled) out.enabled = v.enabled;
  return out;
}
