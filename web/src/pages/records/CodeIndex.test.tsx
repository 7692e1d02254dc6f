import { fireEvent, screen, waitFor } from "@testing-library/react";
import { afterEach, expect, test, vi } from "vitest";
import { showPage, stubService } from "@/test/page";
import { codeIndex as texts } from "@/texts/codeIndex";
import { CodeIndex } from "./CodeIndex";

afterEach(() => vi.unstubAllGlobals());

const at = "/api/tenants/ten_1/repositories/rep_1";
const ready = {
  state: "ready",
  searchable: true,
  branch: "main",
  commitSha: "abcdef0123456789",
  mode: "lexical",
  files: 12,
  chunks: 34,
  filesDone: 12,
  bytes: 5_600_000,
  leftOut: [{ reason: "generated", count: 2, paths: ["a.pb.go", "b.pb.go"] }],
  builtAt: "2026-11-25T10:00:00Z",
};
const place = { path: "shop/cart.go", line: 12, start: 11, lines: ["// Total adds.", "func (c *Cart) Total() int {"], why: ["definition", "use"], symbol: { name: "Cart.Total", kind: "method", startLine: 12, endLine: 20, signature: "func (c *Cart) Total() int {" } };

const show = () => showPage(() => <CodeIndex tenantId="ten_1" repositoryId="rep_1" />, "/repositories/$repositoryId/records/code-index", "/t/ten_1/repositories/rep_1/records/code-index");

test("an index that is ready shows its size, what is not in it, and answers a search", async () => {
  const sent = stubService({ [`GET ${at}/code-index`]: ready, [`GET ${at}/code-search`]: { commitSha: "abcdef0123456789", branch: "main", state: "ready", items: [place], more: false } });
  show();
  expect(await screen.findByText(texts.states.ready)).toBeTruthy();
  expect(screen.getByText("5.6 MB")).toBeTruthy();
  expect(screen.getByText(/a\.pb\.go, b\.pb\.go/)).toBeTruthy();
  fireEvent.change(screen.getByLabelText(texts.query), { target: { value: "Cart.Total" } });
  fireEvent.click(screen.getByRole("button", { name: texts.search }));
  expect(await screen.findByText(/shop\/cart\.go:12/)).toBeTruthy();
  expect(screen.getByText("defines it, uses it")).toBeTruthy();
  expect(screen.getByLabelText(texts.excerpt("shop/cart.go")).textContent).toContain("12\tfunc (c *Cart) Total() int {");
  await waitFor(() => expect(sent.some((r) => r.url.includes("code-search?q=Cart.Total"))).toBe(true));
});

test("a search without results says so", async () => {
  stubService({ [`GET ${at}/code-index`]: ready, [`GET ${at}/code-search`]: { commitSha: "abc", branch: "main", state: "ready", items: [], more: false } });
  show();
  fireEvent.change(await screen.findByLabelText(texts.query), { target: { value: "nothing" } });
  fireEvent.click(screen.getByRole("button", { name: texts.search }));
  expect(await screen.findByText(texts.nothing)).toBeTruthy();
});

test("states without an index say why, and show no search", async () => {
  for (const [state, says] of [
    [{ ...ready, state: "absent", searchable: false, reason: "Reviews are switched off.", leftOut: [] }, "Reviews are switched off."],
    [{ ...ready, state: "building", searchable: false, filesDone: 3, leftOut: [] }, texts.progress(3, 12)],
    [{ ...ready, state: "failed", searchable: false, reason: "The host does not answer.", leftOut: [] }, "The host does not answer."],
  ] as const) {
    stubService({ [`GET ${at}/code-index`]: state });
    const page = show();
    expect(await screen.findByText(says)).toBeTruthy();
    expect(screen.queryByRole("search")).toBeNull();
    page.unmount();
  }
});
