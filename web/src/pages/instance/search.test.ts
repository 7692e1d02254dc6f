import { expect, test } from "vitest";
import { readDead, readDeliveries } from "./search";

test.each([
  [{}, {}],
  [{ guid: " g-1 ", state: "failed", host: "gitlab", sourceId: "app_1", tenantId: "ten_1", since: "2026-01-02" }, { guid: "g-1", state: "failed", host: "gitlab", sourceId: "app_1", tenantId: "ten_1", since: "2026-01-02T00:00:00.000Z" }],
  [{ guid: 3, state: "toString", host: "sourceforge", since: "yesterday" }, {}],
])("reads of deliveries %j", (search, want) => expect(readDeliveries(search)).toEqual(want));

test.each([
  [{ kind: "review.run", lane: "review", tenantId: " ", since: "" }, { kind: "review.run", lane: "review" }],
  [{ kind: null, lane: "constructor" }, {}],
])("reads of dead letters %j", (search, want) => expect(readDead(search)).toEqual(want));
