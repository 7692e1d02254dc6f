import { fireEvent, screen, waitFor, within } from "@testing-library/react";
import { afterEach, expect, test, vi } from "vitest";
import { showPage, stubService, type Answers } from "@/test/page";
import { text } from "@/texts";
import { fixRuns as fixes } from "@/texts/fixruns";
import { records } from "@/texts/records";
import { pull as texts } from "@/texts/pull";
import { following } from "./following";
import { PullPage } from "./PullPage";

afterEach(() => vi.unstubAllGlobals());

const none = { critical: 0, high: 0, medium: 0, low: 0, info: 0 };
const base = "/api/tenants/ten_1/repositories/rep_1";
const at = { createdAt: "2026-11-23T12:00:00Z", updatedAt: "2026-11-23T12:00:00Z" };
const pull = { number: 7, title: "Pay \u202etuo", author: "ada", state: "open", draft: false, paused: false, headSha: "abcdef0123", headRef: "topic", baseRef: "main", hostUrl: "https://host.example/7", mayReview: true, openFindings: 1, openBySeverity: { ...none, high: 1 }, rounds: 2, checks: [{ runId: "run_1", conclusion: "failure" }], cost: { costMicros: 1_500_000, reservedMicros: 0, limitMicros: 2_000_000, limitFrom: "repository", currency: "USD" }, ...at }; // prettier-ignore
const run = { id: "run_1", repositoryId: "rep_1", repository: { id: "rep_1", owner: "octo", name: "shop" }, state: "completed", reason: "", pullRequest: pull, headSha: "abcdef0123", trigger: "opened", depth: "full", createdAt: at.createdAt, startedAt: at.createdAt, finishedAt: "2026-11-23T12:01:05Z", verdict: "failure", costMicros: 1_500_000, currency: "USD", openFindings: 1, openBySeverity: { ...none, high: 1 } };
const criterion = (verdict: string) => ({ id: verdict, number: 7, issueKey: "PAY-1", criterion: `It is ${verdict}`, verdict, reason: "", evidence: [], kept: false, createdAt: at.createdAt });
const ticket = { id: "tlk_1", number: 7, tracker: "jira", issueKey: "PAY-1", keyOnly: false, title: "Pay out", url: "https://jira.example/PAY-1", type: "Story", state: "Open", done: false, readAt: at.createdAt, foundIn: "title", createdAt: at.createdAt, criteria: ["not_met", "met", "not_applicable"].map(criterion) };
const finding = (id: string, severity: string, state: string) => ({ id, title: `Finding ${id}`, severity, state, path: "a.go", startLine: 3, endLine: 3, lastRunId: "run_1", postedRunId: "run_1", pullRequest: pull, ...at });

const full: Answers = {
  [`GET ${base}/pull-requests/7`]: pull,
  [`GET ${base}/pull-requests/7/tickets`]: { issues: [ticket] },
  [`GET ${base}/findings`]: { items: [finding("gone", "critical", "resolved"), finding("low", "low", "open"), finding("high", "high", "open")] },
  "GET /api/tenants/ten_1/review-runs": { items: [run] },
};

const open = (answers: Answers) => {
  const sent = stubService(answers);
  showPage(() => <PullPage />, "/repositories/$repositoryId/pulls/$number", "/t/ten_1/repositories/rep_1/pulls/7");
  return sent;
};

test("what reviews came to over the life of a pull request", async () => {
  open(full);
  expect((await screen.findByRole("heading", { level: 1, name: /^#7/ })).textContent).toBe("#7 Pay [U+202E]tuo");
  expect(await screen.findByText(records.met(1, 2))).toBeTruthy();
  expect(screen.getAllByText(/^It is /).map((e) => e.textContent)).toEqual(["It is not_met", "It is met", "It is not_applicable"]);
  const rows = within(await screen.findByRole("group", { name: texts.findingsCaption })).getAllByRole("link", { name: /^Finding / });
  expect(rows.map((e) => e.textContent)).toEqual(["Finding high", "Finding low", "Finding gone"]);
  const reviews = within(await screen.findByRole("group", { name: texts.reviewsCaption }));
  expect(reviews.getByText(texts.conclusions.failure)).toBeTruthy();
  expect(reviews.getByText("$1.50")).toBeTruthy();
  expect(screen.getByText(texts.costOf("$1.50", "$2.00"))).toBeTruthy();
  expect(screen.getByRole("link", { name: texts.limitFrom.repository }).getAttribute("href")).toBe("/t/ten_1/costs?repository=rep_1");
  expect(screen.getByRole("link", { name: texts.onHost }).getAttribute("href")).toBe("https://host.example/7");
});

test("one click requests a review, and the page leads to it", async () => {
  const sent = open({ ...full, [`POST ${base}/pull-requests/7/review`]: { ...run, id: "run_2", state: "queued" } });
  fireEvent.click(await screen.findByRole("button", { name: texts.review }));
  expect((await screen.findByRole("link", { name: texts.watch })).getAttribute("href")).toBe("/t/ten_1/repositories/rep_1/runs/run_2");
  await waitFor(() => expect(sent.filter((r) => r.url.endsWith("/pull-requests/7")).length).toBe(2));
});

test("a head that was reviewed is reviewed again by the same click", async () => {
  const lastRun = { ...run, headSha: pull.headSha };
  const sent = open({ ...full, [`GET ${base}/pull-requests/7`]: { ...pull, lastRun }, [`POST ${base}/review-runs/run_1/rerun`]: { ...run, id: "run_2", state: "queued" } });
  fireEvent.click(await screen.findByRole("button", { name: texts.review }));
  expect(await screen.findByRole("link", { name: texts.watch })).toBeTruthy();
  expect(sent.some((r) => r.url.endsWith("/pull-requests/7/review"))).toBe(false);
});

test("a pull request without anything says so in each part, and a person who may not ask has no button", async () => {
  open({ [`GET ${base}/pull-requests/7`]: { ...pull, mayReview: false, headRef: undefined, openBySeverity: none, checks: [], rounds: 0, cost: { costMicros: 0, reservedMicros: 0, currency: "USD" } }, [`GET ${base}/pull-requests/7/tickets`]: { issues: [] }, [`GET ${base}/findings`]: { items: [] }, "GET /api/tenants/ten_1/review-runs": { items: [] } });
  for (const says of [texts.noTickets, texts.noneFound, texts.noReviews, texts.noCheck]) expect(await screen.findByText(says)).toBeTruthy();
  expect(screen.getByText(`$0.00 (${texts.noLimit})`)).toBeTruthy();
  expect(screen.queryByRole("button", { name: texts.review })).toBeNull();
});

test("when a review ends, the findings are read again", async () => {
  let state = "running";
  const sent = open({ ...full, [`GET ${base}/pull-requests/7`]: () => new Response(JSON.stringify({ ...pull, lastRun: { ...run, state } }), { headers: { "Content-Type": "application/json" } }) });
  const reads = () => sent.filter((r) => r.url.includes("/findings?")).length;
  await waitFor(() => expect(reads()).toBe(1));
  state = "completed";
  await waitFor(() => expect(reads()).toBe(2), { timeout: 2 * following });
});

test("an unknown number is refused once, without the parts of a page", async () => {
  open({});
  expect(await screen.findByRole("heading", { level: 1, name: text.trouble.pageAbsent })).toBeTruthy();
  expect(screen.getByRole("link", { name: text.trouble.start })).toBeTruthy();
  expect(screen.queryByText(texts.tickets)).toBeNull();
});

test("a ticket that was not read says so in a sentence", async () => {
  const { readAt, ...unread } = ticket;
  expect(readAt).not.toBe("");
  open({ ...full, [`GET ${base}/pull-requests/7/tickets`]: { issues: [{ ...unread, criteria: [] }] } });
  expect(await screen.findByText(`${records.notLookedAt} ${texts.unjudged}`)).toBeTruthy();
});

test("a part that fails leaves the others", async () => {
  open({ ...full, [`GET ${base}/pull-requests/7/tickets`]: () => new Response("{}", { status: 500 }) });
  expect(await screen.findByRole("button", { name: text.trouble.again })).toBeTruthy();
  expect(await screen.findByText("Finding high")).toBeTruthy();
});

test("a limit that is reached says what follows", async () => {
  open({ ...full, [`GET ${base}/pull-requests/7`]: { ...pull, cost: { ...pull.cost, costMicros: 3_000_000, limitFrom: "tenant" } } });
  expect(await screen.findByText(texts.limitReached)).toBeTruthy();
  expect(screen.getByRole("progressbar", { name: texts.share(100) })).toBeTruthy();
});

test("findings that wait for approval are counted, and the page leads to the decision", async () => {
  const lastRun = { ...run, state: "awaiting_approval" };
  open({ ...full, [`GET ${base}/pull-requests/7`]: { ...pull, openFindings: 0, openBySeverity: none, rounds: 0, lastRun, awaitingBySeverity: { ...none, critical: 2 } } });
  const counted = await screen.findByText(texts.awaiting);
  expect(counted.nextElementSibling?.textContent).toBe("2 Critical");
  expect(screen.getByText(texts.publishedFindings).nextElementSibling?.textContent).toBe(texts.noFindings);
  expect(screen.getByRole("link", { name: texts.decide }).getAttribute("href")).toBe("/t/ten_1/repositories/rep_1/runs/run_1?tab=approval");
});

test("the fix runs of a pull request have their state, a link, and why one failed", async () => {
  const fixRun = (id: string, state: string, reason: string) => ({ id, runId: "run_1", number: 7, headSha: pull.headSha, findingIds: ["a", "b"], delivery: "suggestions", state, reason, url: "", proposed: 1, passed: 1, createdBy: "", askedBy: "Ada", createdAt: at.createdAt });
  const sent = open({ ...full, [`GET ${base}/fix-runs`]: { items: [fixRun("fix_2", "completed", ""), fixRun("fix_1", "failed", "No model answered.")] } });
  const links = await screen.findAllByRole("link", { name: new RegExp(`^${fixes.passedOf(1, 2)}`) });
  expect(links.map((e) => e.getAttribute("href"))).toEqual(["fix_2", "fix_1"].map((id) => `/t/ten_1/repositories/rep_1/fix-runs/${id}`));
  for (const says of [fixes.states.completed, fixes.states.failed, "No model answered."]) expect(screen.getAllByText(says).length).toBeGreaterThan(0);
  expect(sent.some((r) => new URL(r.url).search === "?number=7" && r.url.includes("/fix-runs"))).toBe(true);
});
