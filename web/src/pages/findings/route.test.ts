import { expect, test } from "vitest";
import { readSearch } from "./route";

test.each([
  [{}, {}],
  [{ repository: "rep_1", state: "open", severity: "high", category: "static-analysis", rule: " llm/x ", path: "a b.go", number: "7" }, { repository: "rep_1", state: "open", severity: "high", category: "static-analysis", rule: "llm/x", path: "a b.go", number: 7 }],
  [{ pullRequests: "all", published: "no", sort: "oldest", author: " mona ", mine: "true", page: "3" }, { pullRequests: "all", published: "no", sort: "oldest", author: "mona", mine: true, page: 3 }],
  [{ state: "toString", severity: 3, category: "", rule: " ", path: null, number: -1 }, {}],
  [{ pullRequests: "merged", published: true, sort: "worst", author: 1, mine: "yes", page: 201 }, {}],
  [{ page: 1 }, {}],
])("reads %j", (search, want) => expect(readSearch(search)).toEqual(want));
