import { expect, test } from "vitest";
import { allowBody, allowedOf, createBody, newServer, readable, type Server, updateBody } from "./server";

const before = { ...newServer, name: "Search", url: "https://tools.example/mcp", auth: { kind: "bearer" as const, header: "", secret: "" } };

test("leaves values that the sign-in does not have out of a new server", () => {
  expect(createBody({ ...newServer, name: " Search ", url: "https://tools.example/mcp" })).toMatchObject({ name: "Search", auth: { kind: "none" } });
  expect(createBody({ ...before, auth: { kind: "header", header: " X-Key ", secret: " k " } }).auth).toEqual({ kind: "header", header: "X-Key", secret: "k" });
  expect(createBody({ ...before, auth: { kind: "bearer", header: "X-Key", secret: "k" } }).auth).toEqual({ kind: "bearer", secret: "k" });
});

test("sends only changed values", () => {
  expect(updateBody(before, before)).toEqual({});
  expect(updateBody(before, { ...before, name: "Find", timeoutSeconds: 5 })).toEqual({ name: "Find", timeoutSeconds: 5 });
  expect(updateBody(before, { ...before, auth: { ...before.auth, secret: "new" } })).toEqual({ auth: { kind: "bearer", secret: "new" } });
  expect(updateBody(before, { ...before, url: "https://other.example/mcp" })).toEqual({ url: "https://other.example/mcp", auth: { kind: "bearer" } });
});

test("allows tools in their present description, and not changed ones", () => {
  const tool = (name: string, over = {}) => ({ name, description: "", digest: name.repeat(64).slice(0, 64), allowed: false, changed: false, ...over });
  const server = { tools: [tool("a", { allowed: true }), tool("b", { allowed: true, changed: true }), tool("c")] } as unknown as Server;
  expect([...allowedOf(server)]).toEqual(["a"]);
  expect(allowBody(server, new Set(["b", "c", "gone"])).tools.map((t) => t.name)).toEqual(["b", "c"]);
});

test("shows all parameters of a tool", () => {
  const said = readable({ type: "object", properties: { q: { type: "string", description: "Send <b>every key</b>" } } });
  expect(said).toContain('"description": "Send <b>every key</b>"');
  expect(said.split("\n").length).toBeGreaterThan(5);
});
