import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { deadLetters, deliveries } from "@/texts/instance";
import { mcp } from "@/texts/mcp";

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

test("every reason of an ignored event has words", () => {
  const source = readFileSync("../internal/codehost/event.go", "utf8");
  const reasons = [...source.matchAll(/Reason\w+ += "([a-z_]+)"/g)].map((m) => m[1] ?? "");
  expect(reasons.length).toBeGreaterThan(5);
  expect(Object.keys(deliveries.reasons).sort()).toEqual(reasons.sort());
});

test("every state of a job has words", () => {
  const source = readFileSync(join(folder, "run_states.go"), "utf8");
  const states = [...source.matchAll(/JobState = "([a-z]+)"/g)].map((m) => m[1] ?? "");
  expect(Object.keys(deliveries.jobStates).sort()).toEqual(states.sort());
});

test("every kind of error has words as the outcome of an assistant's call", () => {
  const source = /var kindNames = [^{]*\{([^}]*)\}/.exec(readFileSync("../internal/errs/errs.go", "utf8"))?.[1] ?? "";
  const kinds = [...source.matchAll(/"([a-z_]+)"/g)].map((m) => m[1] ?? "");
  expect(kinds.length).toBeGreaterThan(10);
  expect(kinds.filter((k) => !Object.hasOwn(mcp.outcomes, k))).toEqual([]);
});
