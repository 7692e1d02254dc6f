import { screen } from "@testing-library/react";
import { afterEach, expect, test, vi } from "vitest";
import type { Schemas } from "@/api/queries";
import { showPage, stubService } from "@/test/page";
import { text } from "@/texts";
import { InboxPage } from "./InboxPage";

type Item = Schemas["InboxItem"];

afterEach(() => vi.unstubAllGlobals());

const open = (items: Item[]) => {
  stubService({ "GET /api/tenants/ten_1/inbox": { items } });
  showPage(() => <InboxPage />, "/inbox", "/t/ten_1/inbox");
};

const at = "/t/ten_1/repositories/rep_1";
const cases: readonly [Item["kind"], Partial<Item>, string][] = [
  ["approval", { repositoryId: "rep_1", runId: "run_1", number: 7 }, `${at}/runs/run_1?tab=approval`],
  ["failed_run", { repositoryId: "rep_1", runId: "run_1" }, `${at}/runs/run_1`],
  ["suppression", { repositoryId: "rep_1" }, `${at}/records/suppressions?id=x`],
  ["onboarding", { repositoryId: "rep_1" }, `${at}/onboarding`],
  ["rule", { repositoryId: "rep_1", number: 7 }, `${at}/rules`],
  ["review_request", { repositoryId: "rep_1", number: 7 }, "/t/ten_1/repositories/rep_1/pulls/7"],
  ["budget_alert", {}, "/t/ten_1/costs"],
  ["budget_alert", { repositoryId: "rep_1" }, "/t/ten_1/costs?repository=rep_1"],
  ["connection", { connectionKind: "provider" }, "/t/ten_1/connections"],
  ["connection", { connectionKind: "tracker" }, "/t/ten_1/trackers"],
  ["connection", { connectionKind: "mcp_server" }, "/t/ten_1/mcp-servers"],
  ["connection", { connectionKind: "channel" }, "/t/ten_1/notifications"],
]; // prettier-ignore

test.each(cases)("an item of the kind %s with %o leads to %s", async (kind, over, to) => {
  open([{ id: "x", kind, title: "What it is about", detail: "", createdAt: "2026-11-23T10:00:00Z", ...over }]);
  expect((await screen.findByText("What it is about")).closest("a")?.getAttribute("href")).toBe(to);
});

test("an empty inbox links to review runs", async () => {
  open([]);
  expect((await screen.findByText(text.inbox.toRuns)).closest("a")?.getAttribute("href")).toBe("/t/ten_1/runs");
});

test("a review that waits shows what it found", async () => {
  open([{ id: "x", kind: "approval", title: "A key", detail: "", createdAt: "2026-11-23T10:00:00Z", repositoryId: "rep_1", runId: "run_1", openBySeverity: { critical: 1, high: 0, medium: 0, low: 2, info: 0 } }]);
  expect(await screen.findByText("1 Critical")).toBeTruthy();
  expect(screen.getByText("2 Low")).toBeTruthy();
});
