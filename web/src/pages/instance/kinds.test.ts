import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { deadLetters } from "@/texts/instance";

const folder = "../internal/domain";

test("every kind of job of the service has words", () => {
  const source = readdirSync(folder)
    .filter((f) => f.endsWith(".go"))
    .map((f) => readFileSync(join(folder, f), "utf8"))
    .join("\n");
  const kinds = [...source.matchAll(/JobKind = "([a-z.]+)"/g)].map((m) => m[1] ?? "");
  expect(kinds.length).toBeGreaterThan(10);
  expect(kinds.filter((k) => !Object.hasOwn(deadLetters.kinds, k))).toEqual([]);
  expect(Object.keys(deadLetters.kinds).filter((k) => !kinds.includes(k))).toEqual([]);
});
