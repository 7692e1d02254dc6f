import { expect, test } from "vitest";
import { linesOf, listFault, newRule, previewed } from "./form";
import { readSearch } from "./route";

test("lines that say nothing are no entries", () => expect(linesOf(" a \n\n b\n")).toEqual(["a", "b"]));

test("a rule is previewed when it says what to look for", () => {
  expect(previewed(newRule, undefined)).toBeUndefined();
  expect(previewed({ ...newRule, instruction: "x" }, undefined)).toMatchObject({ title: "…", instruction: "x", paths: [] });
});

test("refusals of lists name their lines", () => {
  const line = (n: number, says: string) => `${n}: ${says}`;
  expect(listFault({ "paths.1": "is wrong", title: "no" }, "paths", line)).toBe("2: is wrong");
  expect(listFault({ paths: "too many" }, "paths", line)).toBe("too many");
  expect(listFault({}, "paths", line)).toBeUndefined();
});

test("what an address opens", () => {
  expect(readSearch({ edit: "new" })).toEqual({ edit: "new" });
  expect(readSearch({ edit: "a/b" })).toEqual({});
  expect(readSearch({ edit: 5 })).toEqual({});
});
