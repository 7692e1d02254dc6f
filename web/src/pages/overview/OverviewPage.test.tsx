import { screen, within } from "@testing-library/react";
import { afterEach, expect, test, vi } from "vitest";
import { showPage, stubService } from "@/test/page";
import { text } from "@/texts";
import { OverviewPage } from "./OverviewPage";

afterEach(() => vi.unstubAllGlobals());

const nothing = { approvals: 0, suppressions: 0, failedRuns: 0, reviewRequests: 0, budgetAlerts: 0, connections: 0, onboardings: 0, rules: 0, hostAccounts: 0 };
const clean = { critical: 0, high: 0, medium: 0, low: 0, info: 0 };
const figures = { calls: 0, unpricedCalls: 0, estimatedCalls: 0, costMicros: 0, inputTokens: 0, outputTokens: 0 };

const open = (over: object) => {
  stubService({ "GET /api/tenants/ten_1/dashboard": { from: "2026-11-10", to: "2026-11-23", reviewsByDay: [], totalReviews: 0, waiting: nothing, findings: clean, myFindings: clean, ...over } });
  showPage(() => <OverviewPage />, "/", "/t/ten_1");
};

const hrefOf = async (says: string) => (await screen.findByText(says)).closest("a")?.getAttribute("href");

test("new repositories are among the waiting items, and each item links to its page", async () => {
  open({ waiting: { ...nothing, onboardings: 2, failedRuns: 1, approvals: 1 } });
  expect(await hrefOf("2 new repositories to accept")).toBe("/t/ten_1/onboardings?state=proposed");
  expect(await hrefOf("1 failed run")).toBe("/t/ten_1/runs?state=failed");
  expect(await hrefOf("1 review to approve")).toBe("/t/ten_1/inbox");
});

test("models and connections lead to their pages", async () => {
  open({
    totalReviews: 1,
    reviewsByDay: [{ day: "2026-11-23", count: 1 }],
    spend: { currency: "USD", total: { ...figures, calls: 1 }, byDay: [], topModels: [{ ...figures, key: "m", name: "m-large", calls: 1 }] },
    connections: [{ id: "c", kind: "tracker", name: "Jira", state: "error", message: "", updatedAt: "2026-11-23T10:00:00Z" }],
  });
  expect(await hrefOf("m-large")).toBe("/t/ten_1/costs?by=model");
  expect(await hrefOf("Jira")).toBe("/t/ten_1/trackers");
  expect(await hrefOf(text.overview.toRuns)).toBe("/t/ten_1/runs");
  expect(await hrefOf(text.overview.toCosts)).toBe("/t/ten_1/costs?by=day");
});

test("empty parts say what can be done", async () => {
  open({ spend: { currency: "USD", total: figures, byDay: [], topModels: [] }, connections: [] });
  expect(await hrefOf(text.overview.toRepositories)).toBe("/t/ten_1/repositories");
  expect(await hrefOf(text.overview.toModels)).toBe("/t/ten_1/models");
  expect(await hrefOf(text.overview.toConnections)).toBe("/t/ten_1/connections");
  expect(within(screen.getByRole("region", { name: text.overview.waits })).getByText(text.overview.nothingWaits)).toBeTruthy();
});

test("open findings are counted by severity and lead to their lists", async () => {
  open({ findings: { ...clean, critical: 2, low: 3 }, myFindings: { ...clean, critical: 1 } });
  expect(await hrefOf(text.overview.toFindings)).toBe("/t/ten_1/findings");
  expect(await hrefOf(text.overview.toMyFindings)).toBe("/t/ten_1/findings?mine=true");
  expect(["2 Critical", "3 Low", "1 Critical"].map((said) => screen.queryAllByText(said).length)).toEqual([1, 1, 1]);
});
