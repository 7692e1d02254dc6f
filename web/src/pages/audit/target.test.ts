import { expect, test } from "vitest";
import { targetOf } from "./AuditLog";
import type { Entry } from "./source";

const of = (kind: string, id: string, name?: string) => targetOf({ target: { kind, id, ...(name ? { name } : {}) } } as Entry);

test("targets are named in words", () => {
  expect(of("llm-policy", "ten_1")).toBe("model routing");
  expect(of("tenant", "ten_1")).toBe("tenant");
  expect(of("tenant", "ten_1", "Acme")).toBe("tenant Acme");
  expect(of("dry-run", "dry_1")).toBe("dry run dry_1");
  expect(of("mcp-server", "mcp_1", "Catalogue")).toBe("MCP server Catalogue");
  expect(of("constructor", "x")).toBe("constructor x");
});
