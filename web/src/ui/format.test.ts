import { expect, test } from "vitest";
import { ago, count, day, money, sentence, short, span } from "./format";

test.each([
  [1_234_560_000, "USD", "$1,234.56"],
  [12_345, "USD", "$0.0123"],
  [0, "EUR", "€0.00"],
  [500_000, "USD", "$0.50"],
  [1_000_000, "NOPE", "1.00 NOPE"],
  [null, "USD", undefined],
])("money of %s micros", (amount, currency, want) => expect(money(amount, currency, "en-US")).toBe(want));

test("counts", () => {
  expect(count(1_234_567, "en-US")).toBe("1,234,567");
  expect(short(1_234_567, "en-US")).toBe("1.23M");
});

const now = Date.parse("2026-11-23T12:00:00Z");
test.each([
  ["2026-11-23T11:59:30Z", "now"],
  ["2026-11-23T11:58:00Z", "2 minutes ago"],
  ["2026-11-22T11:00:00Z", "yesterday"],
  ["2026-11-23T15:00:00Z", "in 3 hours"],
  ["2026-11-30T11:59:00Z", "in 7 days"],
  ["2026-11-16T12:01:00Z", "6 days ago"],
])("%s is %s", (at, want) => expect(ago(at, now, "en-US")).toBe(want));

test("a day of UTC is the same everywhere", () => expect(day("2026-11-01", "en-US")).toBe("Nov 1"));

test.each([
  [1_400, "1 s"],
  [61_000, "1 min 1 s"],
  [3_600_000, "1 h 0 min"],
  [-5, "0 s"],
])("a span of %s ms", (ms, want) => expect(span(ms)).toBe(want));

test.each([
  ["must not be empty", "Must not be empty."],
  ["The host refused the token.", "The host refused the token."],
  ["is required: choose one?", "Is required: choose one?"],
  ["", ""],
])("%j is the sentence %j", (says, want) => expect(sentence(says)).toBe(want));
