import { expect, test } from "vitest";
import { listFault, linesOf } from "./lines";

test("empty lines are not entries", () => expect(linesOf(" a, b \n\n c\n")).toEqual(["a, b", "c"]));

test("refusals of lists name their lines", () => {
  const line = (n: number, says: string) => `${n}: ${says}`;
  expect(listFault({ "paths.1": "is wrong", title: "no" }, "paths", line)).toBe("2: is wrong");
  expect(listFault({ paths: "too many" }, "paths", line)).toBe("too many");
  expect(listFault({}, "paths", line)).toBeUndefined();
});
