import { expect, test } from "vitest";
import { oneOf, ordinal, words } from "./filterValues";

test.each<{ value: unknown }>([undefined, null, 0, -1, 1.5, "", "x", "1e3", "-1", true, {}, [3], { valueOf: 1, toString: 1 }, "99999999999999999999"].map((value: unknown) => ({ value })))("$value is the number of nothing", ({ value }) => expect(ordinal(value)).toBeUndefined());

test.each<{ value: unknown }>([7, "7"].map((value: unknown) => ({ value })))("$value is a number", ({ value }) => expect(ordinal(value)).toBe(7));

test.each<{ value: unknown }>(["constructor", "__proto__", "toString", "", 1, {}, ["open"]].map((value: unknown) => ({ value })))("$value is not one of the names", ({ value }) => expect(oneOf({ open: "Open" }, value)).toBeUndefined());

test.each<{ value: unknown }>([1, {}, ["a"], "  "].map((value: unknown) => ({ value })))("$value has no words", ({ value }) => expect(words(value, 10)).toBeUndefined());
