import { expect, test } from "vitest";
import { readSearch } from "./route";

test.each([
  [{}, {}],
  [{ repository: "rep_1", state: "open", severity: "high", category: "static-analysis", rule: " llm/x ", path: "a b.go", number: "7" }, { repository: "rep_1", state: "open", severity: "high", category: "static-analysis", rule: "llm/x", path: "a b.go", number: 7 }],
  [{ state: "toString", severity: 3, category: "", rule: " ", path: null, number: -1 }, {}],
])("reads %j", (search, want) => expect(readSearch(search)).toEqual(want));
