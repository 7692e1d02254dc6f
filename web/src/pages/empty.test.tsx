import type { ReactNode } from "react";
import { fireEvent, screen, waitFor } from "@testing-library/react";
import { notifications } from "@mantine/notifications";
import { afterEach, expect, test, vi } from "vitest";
import { showPage, stubService, type Answers } from "@/test/page";
import { approvals } from "@/texts/approvals";
import { findings } from "@/texts/findings";
import { pull } from "@/texts/pull";
import { repository } from "@/texts/repository";
import { text } from "@/texts";
import { ApprovalsPage } from "./approvals/ApprovalsPage";
import { readSearch as approvalsSearch } from "./approvals/route";
import { FindingsPage } from "./findings/FindingsPage";
import { readSearch as findingsSearch } from "./findings/route";
import { PullRequests } from "./repository/PullRequests";
import { readSearch as pullsSearch } from "./repository/route";
import { RunsPage } from "./runs/RunsPage";
import { readSearch as runsSearch } from "./runs/route";

afterEach(() => {
  vi.unstubAllGlobals();
  notifications.clean();
});

const tenant = "/api/tenants/ten_1";
const place = `${tenant}/repositories/rep_1`;
const none = { items: [] };
const noFindings = { ...none, counts: { total: 0, more: false, bySeverity: { critical: 0, high: 0, medium: 0, low: 0, info: 0 } } };
const admin = { permissions: ["tenant:manage"], repositories: [] };

const open = (page: () => ReactNode, path: string, at: string, search: (s: Record<string, unknown>) => object, more: Answers = {}) => {
  const sent = stubService({ [`GET ${tenant}/access`]: admin, [`GET ${tenant}/repositories`]: none, [`GET ${tenant}/review-runs`]: none, [`GET ${tenant}/approvals`]: none, [`GET ${tenant}/findings`]: noFindings, [`GET ${place}/pull-requests`]: none, ...more });
  showPage(page, path, at, search);
  return sent;
};

const pages = {
  runs: () => <RunsPage />,
  approvals: () => <ApprovalsPage />,
  findings: () => <FindingsPage />,
};

test.each([
  ["runs", "/t/ten_1/runs", runsSearch, text.runs.none, text.runs.toRepositories, "/t/ten_1/repositories"],
  ["runs", "/t/ten_1/runs?state=failed", runsSearch, text.runs.empty, text.runs.clear, "/t/ten_1/runs"],
  ["approvals", "/t/ten_1/approvals", approvalsSearch, approvals.none, approvals.toRuns, "/t/ten_1/runs"],
  ["approvals", "/t/ten_1/approvals?state=rejected", approvalsSearch, approvals.empty, approvals.clear, "/t/ten_1/approvals"],
  ["findings", "/t/ten_1/findings?repository=rep_1", findingsSearch, findings.none, findings.toRuns, "/t/ten_1/runs?repository=rep_1"],
  ["findings", "/t/ten_1/findings?repository=rep_1&state=dismissed", findingsSearch, findings.empty, findings.clear, "/t/ten_1/findings?repository=rep_1"],
] as const)("an empty list of %s at %s says what there is not, and one thing to do", async (page, at, search, says, does, to) => {
  open(pages[page], `/${page}`, at, search as (s: Record<string, unknown>) => object);
  expect(await screen.findByText(says)).toBeTruthy();
  expect(screen.getByRole("link", { name: does }).getAttribute("href")).toBe(to);
});

test("without known pull requests, one is reviewed by its number", async () => {
  const run = { id: "run_1", pullRequest: { number: 7 } };
  const sent = open(() => <PullRequests connected={false} tenantId="ten_1" repositoryId="rep_1" />, "/repositories/$repositoryId", "/t/ten_1/repositories/rep_1", pullsSearch, { [`POST ${place}/pull-requests/7/review`]: run });
  expect(await screen.findByText(repository.none)).toBeTruthy();
  fireEvent.change(await screen.findByLabelText(repository.number), { target: { value: "7" } });
  fireEvent.click(screen.getByRole("button", { name: repository.byNumber }));
  await waitFor(() => expect(sent.some((r) => r.method === "POST")).toBe(true));
  expect(await screen.findByText(pull.begun(7))).toBeTruthy();
});
