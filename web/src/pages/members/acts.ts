import type { Schemas } from "@/api/queries";

export type Member = Schemas["Member"];

/** What can be done about a member. */
export type Act = "makeAdmin" | "makeMember" | "dismiss" | "signOut";

const byHand = (m: Member) => m.sources.find((s) => s.source === "hand" || s.source === "setup");

/**
 * What is offered about a member. Only what was given by hand can be taken back by
 * hand, and making a member of somebody changes nothing unless they were made an
 * administrator by hand. Whether the last administrator goes is for the service to say.
 */
export function actsOn(m: Member): readonly Act[] {
  const hand = byHand(m);
  return [...(m.role === "admin" ? [] : (["makeAdmin"] as const)), ...(hand?.role === "admin" ? (["makeMember"] as const) : []), ...(hand ? (["dismiss"] as const) : []), "signOut"];
}
