import { expect, test } from "vitest";
import { actsOn, type Member } from "./acts";

const member = (role: "admin" | "member", ...sources: [Member["sources"][number]["source"], "admin" | "member"][]): Member => ({
  userId: "usr_1",
  name: "Mona",
  role,
  sources: sources.map(([source, given]) => ({ source, role: given, confirmedAt: "2026-01-01T00:00:00Z" })),
});

test.each([
  ["a member by the host", member("member", ["host", "member"]), ["makeAdmin", "signOut"]],
  ["an admin by the host", member("admin", ["host", "admin"]), ["signOut"]],
  ["an admin by hand", member("admin", ["host", "member"], ["hand", "admin"]), ["makeMember", "dismiss", "signOut"]],
  ["an admin by the setup", member("admin", ["setup", "admin"]), ["makeMember", "dismiss", "signOut"]],
  ["a member by hand", member("member", ["hand", "member"]), ["makeAdmin", "dismiss", "signOut"]],
])("offers for %s what has an effect", (_, of, want) => expect(actsOn(of)).toEqual(want));
