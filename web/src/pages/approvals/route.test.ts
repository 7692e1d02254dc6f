import { expect, test } from "vitest";
import { readSearch } from "./route";

test.each([
  [{}, {}],
  [{ state: "pending", repository: "" }, {}],
  [{ state: "rejected", repository: "rep_1", other: "x" }, { state: "rejected", repository: "rep_1" }],
  [{ state: "toString", repository: 3 }, {}],
])("reads %j", (search, want) => expect(readSearch(search)).toEqual(want));
