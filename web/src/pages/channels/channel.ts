import type { Schemas } from "@/api/queries";
import { entriesOf } from "@/ui/lines";

export type Channel = Schemas["NotificationChannel"];
export type Event = Schemas["NotificationChannelCreate"]["events"][number];

/** The values of a channel's form. */
export interface Entered extends Record<string, unknown> {
  name: string;
  kind: Channel["kind"];
  target: string;
  events: string[];
  some: boolean;
  repositoryIds: string;
  enabled: boolean;
}

export const newChannel: Entered = { name: "", kind: "webhook", target: "", events: ["review.failed", "approval.requested", "connection.error"], some: false, repositoryIds: "", enabled: true };

export const enteredOf = (c: Channel): Entered => ({ name: c.name, kind: c.kind, target: "", events: c.events, some: !c.everyRepository, repositoryIds: (c.repositoryIds ?? []).join("\n"), enabled: c.enabled });

/** The body that makes a channel. */
export const createBody = (v: Entered): Schemas["NotificationChannelCreate"] => ({
  name: v.name.trim(),
  kind: v.kind,
  target: v.target.trim(),
  events: v.events as Event[],
  ...(v.some ? { repositoryIds: entriesOf(v.repositoryIds) } : {}),
  enabled: v.enabled,
});

/** The body that changes a channel. Unchanged values and an empty address are left out. */
export function updateBody(before: Entered, v: Entered): Schemas["NotificationChannelUpdate"] {
  const out: Schemas["NotificationChannelUpdate"] = {};
  if (v.name.trim() !== before.name) out.name = v.name.trim();
  if (v.target.trim() !== "") out.target = v.target.trim();
  if (JSON.stringify([...v.events].sort()) !== JSON.stringify([...before.events].sort())) out.events = v.events as Event[];
  const ids = (e: Entered) => (e.some ? entriesOf(e.repositoryIds) : null);
  if (JSON.stringify(ids(v)) !== JSON.stringify(ids(before))) out.repositoryIds = ids(v);
  if (v.enabled !== before.enabled) out.enabled = v.enabled;
  return out;
}

/** How a channel stands: stopped by failures is not the same as paused by a person. */
export const stateOf = (c: Channel): "active" | "paused" | "disabled" => (c.pausedAt ? "paused" : c.enabled ? "active" : "disabled");
