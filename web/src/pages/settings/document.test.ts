import { expect, test } from "vitest";
import { changesOf, isLocked, meet, readSaid, say, setLock, settingAt, tidy, writeSaid } from "./document";

const names = ["enabled", "triggers.push", "triggers.labels", "check.failOn", "minSeverity"];
const document = { enabled: true, triggers: { labels: ["review"], other: 1 }, check: { failOn: null }, version: 3 };
const said = { enabled: true, "triggers.labels": ["review"], "check.failOn": null };

test("a document is read by names, and written as it was", () => {
  expect(readSaid(names, document)).toEqual(said);
  expect(writeSaid(said)).toEqual({ enabled: true, triggers: { labels: ["review"] }, check: { failOn: null } });
  expect(readSaid(names, { triggers: [1], check: "x", toString: 1 })).toEqual({});
});

test("null is said, and nothing is not", () => {
  expect(changesOf(names, said, say(said, "check.failOn", undefined))).toEqual([{ name: "check.failOn", before: null, after: undefined }]);
  expect(changesOf(names, said, say(said, "triggers.labels", ["review"]))).toEqual([]);
});

test("empty lines of lists are not sent", () => expect(tidy({ a: ["x ", "", " "], b: null })).toEqual({ a: ["x"], b: null }));

test("the changes of two people are both kept", () => {
  const mine = say(say(said, "minSeverity", "high"), "enabled", false);
  const newest = say(say(said, "triggers.push", false), "enabled", undefined);
  const met = meet(names, said, newest, mine);
  expect(met.draft).toEqual({ "triggers.labels": ["review"], "check.failOn": null, "triggers.push": false, minSeverity: "high", enabled: false });
  expect(met.theirs.map((c) => c.name)).toEqual(["enabled", "triggers.push"]);
  expect(met.both).toEqual(["enabled"]);
});

test("equal changes of both are not a conflict", () => {
  const same = say(said, "minSeverity", "high");
  expect(meet(names, said, same, same).both).toEqual([]);
});

test.each([
  ["/minSeverity", { name: "minSeverity" }],
  ["/triggers/labels/2", { name: "triggers.labels", entry: 2 }],
  ["/triggers/labels", { name: "triggers.labels" }],
  ["/other", undefined],
  ["", undefined],
])("the setting of %s", (pointer, want) => expect(settingAt(names, pointer)).toEqual(want));

test("a lock on a group covers its settings, and can be taken from one of them", () => {
  expect(isLocked(["triggers"], "triggers.push")).toBe(true);
  expect(isLocked(["trig"], "triggers.push")).toBe(false);
  expect(setLock(["triggers", "enabled"], "triggers.push", false, names)).toEqual(["triggers.labels", "enabled"]);
  expect(setLock(["triggers"], "triggers.push", true, names)).toEqual(["triggers"]);
  expect(setLock([], "enabled", true, names)).toEqual(["enabled"]);
});
