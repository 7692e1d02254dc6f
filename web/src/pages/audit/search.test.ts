import { expect, test } from "vitest";
import { localOf, timeOf } from "@/ui/moment";
import { readSearch } from "./search";

test.each([
  [{}, {}],
  [
    { actor: " usr_1 ", action: "rule.create", targetKind: "rule", targetId: "rul_1", result: "refused", from: "2026-01-02T03:04:05Z", to: "2026-01-03" },
    { actor: "usr_1", action: "rule.create", targetKind: "rule", targetId: "rul_1", result: "refused", from: "2026-01-02T03:04:05.000Z", to: "2026-01-03T00:00:00.000Z" },
  ],
  [{ actor: 3, action: " ", result: "toString", from: "yesterday", to: null }, {}],
])("reads %j", (search, want) => expect(readSearch(search)).toEqual(want));

test("a time that was entered comes back as it was", () => {
  expect(localOf(timeOf("2026-03-04T05:06"))).toBe("2026-03-04T05:06");
  expect(localOf(undefined)).toBe("");
});
