import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { Setting } from "@/pages/settings/table";
import { instanceTable } from "@/pages/instance/settingsTable";
import { instanceWords } from "@/texts/instanceSettings";
import { tenantTable } from "@/pages/settings/tenantTable";
import { policyWords, tenantWords, type Words } from "@/texts/settings";
import { defaultsTable, policyTable } from "./table";

interface Schema {
  $ref?: string;
  type?: string | string[];
  enum?: unknown[];
  description?: string;
  minimum?: number;
  maximum?: number;
  minLength?: number;
  maxLength?: number;
  maxItems?: number;
  properties?: Record<string, Schema>;
}

const description = JSON.parse(readFileSync(join(process.cwd(), "../api/openapi.json"), "utf8")) as { components: { schemas: Record<string, Schema> } };

/** The settings of a schema by their names with dots. */
function leaves(name: string): Map<string, Schema> {
  const out = new Map<string, Schema>();
  const walk = (prefix: string, schema: Schema) => {
    for (const [key, own] of Object.entries(schema.properties ?? {})) {
      if (own.$ref) walk(`${prefix}${key}.`, description.components.schemas[own.$ref.split("/").pop()!]!);
      else out.set(`${prefix}${key}`, own);
    }
  };
  walk("", description.components.schemas[name]!);
  return out;
}

const kindOf = (s: Schema) => (s.enum ? "choice" : { boolean: "switch", integer: "number", number: "number", string: "text", array: "list" }[String(Array.isArray(s.type) ? s.type[0] : s.type)]);

const tables: [string, readonly Setting[], Readonly<Record<string, Words>>, string[]][] = [
  ["RepositoryPolicyUpdate", policyTable, policyWords, []],
  ["RepositoryDefaultsUpdate", defaultsTable, policyWords, ["locked"]], // stands beside each setting
  ["TenantSettingsUpdate", tenantTable, tenantWords, []],
  ["InstanceSettingsUpdate", instanceTable, instanceWords, []],
];

test.each(tables)("every setting of %s has its line, and no other", (schema, table, _, beside) => {
  expect(table.map((s) => s.name).sort()).toEqual([...leaves(schema).keys()].filter((name) => !beside.includes(name)).sort());
});

test.each(tables)("lines are as %s has them", (schema, table, words) => {
  const all = leaves(schema);
  for (const s of table) {
    const own = all.get(s.name)!;
    const at = `${schema} ${s.name}`;
    const plain = s.kind === "money" ? "number" : s.kind === "zone" || s.kind === "listed" ? "text" : s.kind;
    expect(plain, at).toBe(kindOf(own));
    if (s.kind === "choice") {
      expect([...s.options, ...(s.none ? [null] : [])], at).toEqual(own.enum);
      expect(Object.keys(words[s.name]!.values ?? {}), at).toEqual(expect.arrayContaining([...s.options, ...(s.none ? ["none"] : [])]));
      expect((s.unbuilt ?? []).length > 0, `${at}: what is refused until it is built`).toBe(own.description?.includes("refused until") ?? false);
    }
    if (s.kind === "number") expect([s.min, s.max], at).toEqual([own.minimum, own.maximum]);
    if (s.kind === "money") expect([0, s.max], at).toEqual([own.minimum, own.maximum]);
    if (s.kind === "list") expect(s.most, at).toBe(own.maxItems);
    if (s.kind === "text" || s.kind === "zone" || s.kind === "listed") expect(s.max, at).toBe(own.maxLength);
  }
});

test("defaults are those of docs/policy/settings.md", () => {
  const rows = readFileSync(join(process.cwd(), "../docs/policy/settings.md"), "utf8").matchAll(/^\| `([\w.-]+)` \| [^|]* \| `([^`]*)` \|/gm);
  const said = new Map([...rows].map(([, name, value]) => [name!, JSON.parse(value!) as unknown]));
  for (const s of policyTable) expect(s.builtIn, s.name).toEqual(said.get(s.name));
});
