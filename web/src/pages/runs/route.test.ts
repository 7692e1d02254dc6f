import { expect, test } from "vitest";
import { readSearch as repositories } from "../repositories/route";
import { readSearch } from "./route";

test.each([
  [{}, {}],
  [{ repository: "rep_1", state: "failed", number: 7 }, { repository: "rep_1", state: "failed", number: 7 }],
  [{ repository: "", state: "none", number: "x" }, {}],
  [{ repository: 5, state: ["failed"], number: -1 }, {}],
  [{ state: "toString", number: 1e300 }, {}],
])("filters of runs %o", (search, want) => expect(readSearch(search)).toEqual(want));

test("filters of repositories", () => {
  expect(repositories({ name: "  a ", state: "active" })).toEqual({ name: "a", state: "active" });
  expect(repositories({ name: 4, state: "x" })).toEqual({});
});
