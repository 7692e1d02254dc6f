import { expect, test } from "vitest";
import { bodyOf, valuesOf } from "./assignment";

test("unsaved preferences start in the browser's time zone, and saved ones in their own", () => {
  expect(valuesOf({ version: 0, optOut: false, timeZone: "UTC" }, "Europe/Berlin").timeZone).toBe("Europe/Berlin");
  expect(valuesOf({ version: 0, optOut: false, timeZone: "UTC" }, "").timeZone).toBe("UTC");
  expect(valuesOf({ version: 2, optOut: false, timeZone: "UTC" }, "Europe/Berlin").timeZone).toBe("UTC");
});

test("settings come back as they were", () => {
  const settings = { optOut: true, maxOpenReviews: 3, timeZone: "Asia/Tokyo", workingHours: [{ day: "monday" as const, from: "09:00", to: "17:00" }], wantedPaths: ["internal/**", "*.go"], unwantedPaths: ["web/**"] };
  expect(bodyOf(valuesOf({ ...settings, version: 1 }, "UTC"))).toEqual(settings);
});

test("an empty bound is not sent, and empty lines are not paths", () => {
  const body = bodyOf({ optOut: false, maxOpenReviews: "", timeZone: "UTC", workingHours: [], wantedPaths: " a/** \n\n", unwantedPaths: "" });
  expect(body).toEqual({ optOut: false, timeZone: "UTC", workingHours: [], wantedPaths: ["a/**"], unwantedPaths: [] });
});
