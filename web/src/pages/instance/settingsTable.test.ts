import { expect, test } from "vitest";
import { isFixed } from "./settingsTable";

test("a setting is fixed by itself, or with its group", () => {
  const origins = { "/airGap": "configuration", "/session/idleMinutes": "configuration", "/session/absoluteHours": "default", "/name": "stored" };
  expect(["airGap.allowHttp", "session.idleMinutes", "session.absoluteHours", "name", "edition"].map((name) => isFixed(origins, name))).toEqual([true, true, false, false, false]);
});
