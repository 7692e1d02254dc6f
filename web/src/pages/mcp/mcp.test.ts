import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { mcp } from "@/texts/mcp";
import { endOf } from "./TokenForm";

const { schemas } = (JSON.parse(readFileSync("../api/openapi.json", "utf8")) as { components: { schemas: Record<string, { properties: Record<string, { description: string }> }> } }).components;

test("every tool and scope that the description names can be chosen, and no other", () => {
  const tools = schemas["McpServerSettings"]!.properties["exposedTools"]!.description.split("offered: ")[1]!.replace("; where allowWrites is true also ", ", ");
  expect(Object.keys(mcp.tool)).toEqual(tools.split(", "));
  const scopes = schemas["McpTokenCreate"]!.properties["scopes"]!.description.replace(/ \([^)]*\)/g, "");
  expect(Object.keys(mcp.scope)).toEqual(scopes.split(", "));
});

test("a token for a year expires within the year that the service accepts", () => {
  const now = Date.UTC(2026, 10, 23);
  expect(Date.parse(endOf("365", now))).toBeLessThan(now + 365 * 86_400_000);
  expect(Date.parse(endOf("30", now))).toBeGreaterThan(now + 29 * 86_400_000);
});
