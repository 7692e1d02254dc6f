import type { Schemas } from "@/api/queries";

export type Member = Schemas["Member"];

/** The possible actions on a member. */
export type Act = "makeAdmin" | "makeMember" | "dismiss" | "signOut";

const byHand = (m: Member) => m.sources.find((s) => s.source === "hand" || s.source === "setup");

/**
 * The actions offered on a member. Only a role that was given by hand can be taken back by hand.
 * Making a person a member changes nothing unless they were made an administrator by hand. The service
 * decides whether the last administrator may go.
 */
export function actsOn(m: Member): readonly Act[] {
  const hand = byHand(m);
  return [...(m.role === "admin" ? [] : (["makeAdmin"] as const)), ...(hand?.role === "admin" ? (["makeMember"] as const) : []), ...(hand ? (["dismiss"] as const) : []), "signOut"];
}
