import { readdirSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { healthChecks } from "./health";
import { problems } from "./problems";

const sources = (folder: string): string =>
  readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((f) => f.endsWith(".go") && !f.endsWith("_test.go"))
    .map((f) => readFileSync(`${folder}/${f}`, "utf8"))
    .join("\n");

test("every check of the installation has its words, and its place in the documentation", () => {
  const codes = [...new Set(sources("../internal/doctor").match(/"D\d{3}"/g))].map((c) => c.slice(1, -1)).sort();
  expect(Object.keys(healthChecks).sort()).toEqual(codes);
  const documented = [...readFileSync("../docs/doctor.md", "utf8").matchAll(/^### (D\d{3})$/gm)].map((m) => m[1]);
  expect(documented).toEqual(codes);
});

test("every refusal that has words is one of the service's, or the lack of an answer", () => {
  const written = sources("../internal");
  const kinds = ["unauthenticated", "forbidden", "not_found", "stale", "invalid", "malformed", "too_large", "rate_limited", "unavailable", "internal", "no_answer"];
  expect(Object.keys(problems).filter((code) => !kinds.includes(code) && !written.includes(`"${code}"`))).toEqual([]);
});
