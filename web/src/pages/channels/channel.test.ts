import { expect, test } from "vitest";
import { type Channel, createBody, enteredOf, newChannel, stateOf, updateBody } from "./channel";

const before = { ...newChannel, name: "Team", kind: "slack" as const };

test("makes a channel for all repositories, or for the named ones", () => {
  expect(createBody({ ...before, target: " https://hooks.example/x " })).toEqual({ name: "Team", kind: "slack", target: "https://hooks.example/x", events: newChannel.events, enabled: true });
  expect(createBody({ ...before, some: true, repositoryIds: "rep_1\nrep_2, rep_3" }).repositoryIds).toEqual(["rep_1", "rep_2", "rep_3"]);
});

test("sends only changed values", () => {
  expect(updateBody(before, before)).toEqual({});
  expect(updateBody(before, { ...before, events: [...before.events].reverse() })).toEqual({});
  expect(updateBody(before, { ...before, target: "https://hooks.example/y", events: ["review.failed"] })).toEqual({ target: "https://hooks.example/y", events: ["review.failed"] });
  expect(updateBody({ ...before, some: true, repositoryIds: "rep_1" }, before)).toEqual({ repositoryIds: null });
});

test("a channel stopped by failures differs from one that a person paused", () => {
  const c = { enabled: true, everyRepository: true, events: [], name: "", kind: "slack" } as unknown as Channel;
  expect(stateOf(c)).toBe("active");
  expect(stateOf({ ...c, enabled: false })).toBe("disabled");
  expect(stateOf({ ...c, pausedAt: "2026-11-23T10:00:00Z" })).toBe("paused");
  expect(enteredOf(c)).toMatchObject({ some: false, target: "" });
});
