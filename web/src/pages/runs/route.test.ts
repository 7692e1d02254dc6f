import { expect, test } from "vitest";
import { readSearch as repositories } from "../repositories/route";
import { beginning, readSearch } from "./route";

test.each([
  [{}, {}],
  [{ repository: "rep_1", state: "failed", number: 7 }, { repository: "rep_1", state: "failed", number: 7 }],
  [{ repository: "", state: "none", number: "x" }, {}],
  [{ repository: 5, state: ["failed"], number: -1 }, {}],
  [{ state: "toString", number: 1e300 }, {}],
  [{ madeBy: "request", author: " mona ", since: "2026-02-03", until: "2026-02-04" }, { madeBy: "request", author: "mona", since: "2026-02-03", until: "2026-02-04" }],
  [{ madeBy: "toString", author: " ", since: "yesterday", until: "2026-13-40" }, {}],
])("filters of runs %o", (search, want) => expect(readSearch(search)).toEqual(want));

test("a day ends where the next begins", () => {
  expect(Date.parse(beginning("2026-02-28", 1)) - Date.parse(beginning("2026-02-28"))).toBe(86_400_000);
  expect(new Date(beginning("2026-02-28", 1)).getDate()).toBe(1);
});

test("filters of repositories", () => {
  expect(repositories({ name: "  a ", state: "active" })).toEqual({ name: "a", state: "active" });
  expect(repositories({ name: 4, state: "x" })).toEqual({});
  expect(repositories({ connection: "pcn_1" })).toEqual({ connection: "pcn_1" });
});
