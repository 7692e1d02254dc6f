import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";

interface Operation {
  "x-filled"?: boolean;
}

const described = JSON.parse(readFileSync("../api/openapi.json", "utf8")) as { paths: Record<string, { get?: Operation }> };
const unfilled = Object.entries(described.paths).flatMap(([path, item]) => (item.get?.["x-filled"] === false ? [path] : []));

const sources = readdirSync("src", { recursive: true, encoding: "utf8" })
  .filter((f) => /\.tsx?$/.test(f) && !f.includes(".test.") && !f.endsWith("schema.d.ts"))
  .map((f) => ({ name: f, text: readFileSync(join("src", f), "utf8") }));

/**
 * A page with such a list must distinguish "the list is empty" from "no feature writes it yet".
 * ListTable does, and so do Listed, which uses it, and pages that read the flag of the answer.
 */
const honest = (text: string) => /<List(Table|ed)\b|\bfilled\b/.test(text);

test("the description marks lists that nothing fills", () => expect(unfilled.length).toBeGreaterThan(0));

test.each(unfilled)("a page of %s says that nothing fills it", (path) => {
  const pages = sources.filter((s) => s.text.includes(`"${path}"`));
  expect(pages).not.toEqual([]);
  expect(pages.filter((s) => !honest(s.text)).map((s) => s.name)).toEqual([]);
});
