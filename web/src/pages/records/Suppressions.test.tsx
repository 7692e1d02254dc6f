import { fireEvent, screen, waitFor, within } from "@testing-library/react";
import { afterEach, expect, test, vi } from "vitest";
import { showPage, stubService } from "@/test/page";
import { records } from "@/texts/records";
import { suppressions as texts } from "@/texts/suppressions";
import { Suppressions } from "./Suppressions";

afterEach(() => vi.unstubAllGlobals());

const at = "/api/tenants/ten_1/repositories/rep_1/suppressions";
const one = {
  id: "sup_1",
  findingId: "fnd_1",
  scope: "rule",
  matches: "llm/correctness/nil-deref",
  paths: ["shop/**"],
  state: "proposed",
  source: "repetition",
  reason: "2 people dismissed 3 findings.",
  note: "",
  about: { ruleId: "llm/correctness/nil-deref", category: "bug", severity: "low", path: "shop/a.go" },
  createdAt: "2026-11-25T10:00:00Z",
};

const show = (search = "") => showPage(() => <Suppressions tenantId="ten_1" repositoryId="rep_1" />, "/repositories/$repositoryId/records/suppressions", `/t/ten_1/repositories/rep_1/records/suppressions${search}`);

test("a manager accepts a proposal for another scope, and a viewer sees no button", async () => {
  const sent = stubService({
    "GET /api/tenants/ten_1/access": { permissions: [], repositories: [{ repositoryId: "rep_1", role: "manage", permissions: ["repo:view", "repo:review", "repo:manage"] }] },
    [`GET ${at}`]: { items: [one, { ...one, id: "sup_2", state: "declined", decided: { name: "Olga" } }] },
    [`POST ${at}/sup_1/decision`]: one,
  });
  show();
  fireEvent.click(await screen.findByRole("button", { name: texts.decideOn(one.matches) }));
  const dialog = within(await screen.findByRole("dialog"));
  fireEvent.change(dialog.getByLabelText(texts.scope), { target: { value: "category" } });
  fireEvent.change(dialog.getByLabelText(texts.paths), { target: { value: "docs/**\n" } });
  fireEvent.click(dialog.getByRole("button", { name: texts.decide }));
  await waitFor(() => expect(sent.some((r) => r.method === "POST")).toBe(true));
  expect(await sent.find((r) => r.method === "POST")!.json()).toEqual({ decision: "accept", scope: "category", paths: ["docs/**"] });
  expect(screen.getByText("by Olga")).toBeTruthy();
  expect(screen.getAllByText(/findings up to low/)).toHaveLength(2);
});

test("a wrong pattern is named with its line", async () => {
  stubService({
    "GET /api/tenants/ten_1/access": { permissions: [], repositories: [{ repositoryId: "rep_1", role: "manage", permissions: ["repo:view", "repo:review", "repo:manage"] }] },
    [`GET ${at}`]: { items: [one] },
    [`POST ${at}/sup_1/decision`]: () => new Response(JSON.stringify({ status: 422, code: "invalid", errors: [{ pointer: "/paths/1", message: "must be a pattern" }] }), { status: 422, headers: { "Content-Type": "application/problem+json" } }),
  });
  show();
  fireEvent.click(await screen.findByRole("button", { name: texts.decideOn(one.matches) }));
  const dialog = within(await screen.findByRole("dialog"));
  fireEvent.change(dialog.getByLabelText(texts.paths), { target: { value: "docs/**\n[" } });
  fireEvent.click(dialog.getByRole("button", { name: texts.decide }));
  expect(await screen.findByText("Line 2: must be a pattern.")).toBeTruthy();
});

test("an empty list says how suppressions come about", async () => {
  stubService({ "GET /api/tenants/ten_1/access": { permissions: [], repositories: [] }, [`GET ${at}`]: { items: [] } });
  show();
  expect(await screen.findByText(records.empty.suppressions)).toBeTruthy();
  expect(screen.queryByRole("button", { name: texts.decide })).toBeNull();
});
