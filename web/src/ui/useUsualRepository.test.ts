import { expect, test } from "vitest";
import { usual } from "./useUsualRepository";

test.each([
  ["the only one", ["a"], "", false, "a"],
  ["the one looked at last", ["a", "b"], "b", false, "b"],
  ["the last one, which may stand on a later page", ["a", "b"], "z", true, "z"],
  ["no choice among several", ["a", "b"], "", false, ""],
  ["none where the last one is gone", ["a", "b"], "z", false, ""],
  ["no choice without repositories", [], "", false, ""],
])("%s", (_, ids, last, more, want) => expect(usual(ids, last, more)).toBe(want));
