import { fireEvent, screen, waitFor } from "@testing-library/react";
import { afterEach, expect, test, vi } from "vitest";
import { showPage, stubService } from "@/test/page";
import { finding, sampleApproval, sampleRun } from "@/test/run";
import { records } from "@/texts/records";
import { reviewHead as head } from "@/texts/reviewHead";
import { run as texts } from "@/texts/run";
import { shownCode } from "@/texts/shownCode";
import { RunPage } from "./RunPage";
import { runSearch } from "./tabs";
import type { Run } from "./types";

afterEach(() => vi.unstubAllGlobals());

/** A stream of events in which nothing happens. */
class Silent extends EventTarget {
  close() {}
}

const at = "/api/tenants/ten_1/repositories/rep_1/review-runs/run_1";
const access = { tenantRole: "admin", permissions: ["tenant:view", "tenant:manage"], repositories: [{ repositoryId: "rep_1", permissions: ["repo:view", "repo:review"] }] };
const line = { kind: "add", old: 0, new: 3, text: "send(p)" };
const diff = { items: [{ path: "pay.go", status: "modified", additions: 1, deletions: 0, binary: false, cut: false, omitted: "", hunks: [{ oldStart: 2, oldLines: 0, newStart: 3, newLines: 1, section: "", lines: [line] }] }] };

/** Opens the page of a review whose parts the service answers. */
function open(run: Run, answers: Record<string, unknown> = {}, search = "") {
  vi.stubGlobal("EventSource", Silent);
  const sent = stubService({ [`GET ${at}`]: run, [`GET ${at}/diff`]: diff, "GET /api/tenants/ten_1/access": access, ...answers });
  showPage(RunPage, "/repositories/$repositoryId/runs/$runId", `/t/ten_1/repositories/rep_1/runs/run_1${search}`, runSearch);
  return sent;
}

test("findings stand below their lines, and those of no shown line above the change", async () => {
  open(sampleRun({ findings: [finding(), finding({ id: "fnd_2", title: "About all of it", path: "" }), finding({ id: "fnd_3", title: "Only stored", route: "stored" })] }));
  expect((await screen.findByText("A payout can be sent twice")).closest(".diff-widget")).toBeTruthy();
  expect(screen.getByText("About all of it").closest(".diff-widget")).toBeNull();
  expect(screen.queryByText("Only stored")).toBeNull();
});

test.each([["diff_not_kept"], ["internal"]])("findings are shown where the change cannot be: %s", async (code) => {
  open(sampleRun({ findings: [finding()] }), { [`GET ${at}/diff`]: () => new Response(JSON.stringify({ code, detail: "The change is gone.", status: 404 }), { status: 404, headers: { "Content-Type": "application/problem+json" } }) });
  expect(await screen.findByText("A payout can be sent twice")).toBeTruthy();
  expect(screen.queryAllByText("The change is gone.").length + screen.queryAllByRole("alert").length).toBe(1);
});

test.each([
  ["running", texts.diff.missing(false)],
  ["cancelled", texts.diff.missing(true)],
] as const)("a run whose review was not made asks for no change: %s", async (state, says) => {
  const sent = open(sampleRun({ state, tier: "" }));
  expect(await screen.findByText(says)).toBeTruthy();
  expect(sent.filter((r) => r.url.includes("/diff"))).toEqual([]);
});

test.each([
  ["resolved", `${head.found} 1 High${head.noneOpen}`],
  ["open", "1 High"],
] as const)("the head of an earlier review says which of its findings are open now: %s", async (state, says) => {
  open(sampleRun({ findings: [finding({ since: { state, at: "2026-11-23T11:00:00Z", runId: "run_2" } } as object)], newerRunId: "run_2" }));
  expect((await screen.findByLabelText(head.summary)).textContent).toBe(`#7completed${says}`);
});

test("the head has state, findings, tickets, cost and duration, and an unmet criterion stands first", async () => {
  const check = { number: 7, issueKey: "SHOP-12", reason: "", evidence: [], kept: false, createdAt: "2026-11-23T10:00:00Z" };
  const checks = [
    { ...check, id: "a", criterion: "Sums are shown", verdict: "met" as const },
    { ...check, id: "b", criterion: "Payouts are sent once", verdict: "not_met" as const },
    { ...check, id: "c", criterion: "Of another service", verdict: "not_applicable" as const },
  ];
  const usageTotal = { ...sampleRun().usageTotal, calls: 2, costMicros: 120_000 };
  open(sampleRun({ findings: [finding()], usageTotal, startedAt: "2026-11-23T10:00:00Z", finishedAt: "2026-11-23T10:00:42Z", newerRunId: "run_2", issues: [{ issueKey: "SHOP-12", keyOnly: false, title: "Payouts", url: "https://t.example/SHOP-12", checks }] }));
  const line = await screen.findByLabelText(head.summary);
  for (const want of ["#7", "completed", "1 High", "SHOP-12 1 of 2 met", "$0.12", "42"]) expect(line.textContent).toContain(want);
  expect(screen.getByText(records.otherCriteria(2)).closest("details")?.open).toBe(false);
  expect([...screen.getByLabelText(head.issues.heading).querySelectorAll("li")].map((l) => l.textContent)).toEqual(["not met Payouts are sent once", "met Sums are shown", "does not apply Of another service"]);
  expect(screen.getByLabelText(head.issues.heading).querySelector("details")?.open).toBe(true);
  expect(screen.getByText(head.newerReview).getAttribute("href")).toBe("/t/ten_1/repositories/rep_1/runs/run_2");
});

test("the head has the model's sentence on the change as plain text, with hidden characters visible", async () => {
  open(sampleRun({ synopsis: "Adds <b>a</b> [sum](https://evil.example) \u202eof @ada" }));
  const line = (await screen.findByText(head.synopsis, { exact: false })).closest("p")!;
  expect(line.textContent).toBe(`${head.synopsis} Adds <b>a</b> [sum](https://evil.example) [U+202E]of @ada`);
  expect(line.querySelectorAll("a, b").length).toBe(0);
});

test("a sentence of an earlier head names its commit", async () => {
  const synopsisHead = "fedcba9876543210fedcba9876543210fedcba98";
  open(sampleRun({ synopsis: "Adds a sum.", synopsisHead }));
  const line = (await screen.findByText(head.earlierSynopsis("fedcba9"), { exact: false })).closest("p")!;
  expect(line.textContent).toBe("A model described the change at fedcba9: Adds a sum.");
});

test("a review without a sentence on the change shows no label for one", async () => {
  open(sampleRun({ findings: [finding()] }));
  await screen.findByText("A payout can be sent twice");
  expect(screen.queryByText(head.synopsis, { exact: false })).toBeNull();
});

test("a finding is dismissed with a reason in place, and a refusal stays in the dialog", async () => {
  const results = [{ dismissed: 0, items: [{ findingId: "fnd_1", outcome: "refused", code: "own_pull_request", detail: "Ask another person." }] }, { dismissed: 1, items: [{ findingId: "fnd_1", outcome: "dismissed" }] }];
  const sent = open(sampleRun({ findings: [finding()] }), { "POST /api/tenants/ten_1/findings/dismissals": () => results.shift() });
  fireEvent.click(await screen.findByLabelText(texts.findings.dismissOf("A payout can be sent twice")));
  const wrong = await screen.findByRole("button", { name: "Wrong" });
  fireEvent.click(wrong);
  expect((await screen.findByRole("alert")).textContent).toBe("Ask another person.");
  fireEvent.click(wrong);
  await waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
  expect(await sent.findLast((r) => r.method === "POST")?.json()).toEqual({ findingIds: ["fnd_1"], reason: "wrong" });
});

test("keys move between the findings of a review, unless shortcuts are off", async () => {
  open(sampleRun({ findings: [finding(), finding({ id: "fnd_2", title: "The second" })] }));
  await screen.findByText("The second");
  const press = (key: string) => fireEvent.keyDown(document.activeElement ?? document.body, { key });
  press("j");
  expect(document.activeElement?.textContent).toBe("A payout can be sent twice");
  press("j");
  expect(document.activeElement?.textContent).toBe("The second");
  press("k");
  press("e");
  expect(await screen.findByRole("dialog")).toBeTruthy();
});

test("a review that waits opens on its approval, and another on its changes", async () => {
  open(sampleRun({ state: "awaiting_approval", approval: sampleApproval() }));
  expect((await screen.findByText(texts.tabs.approval, { selector: "nav a" })).getAttribute("aria-current")).toBe("page");
  expect(screen.getByText("Approve and publish")).toBeTruthy();
});

test("a decided approval is told in the head, with the way to it", async () => {
  open(sampleRun({ approval: sampleApproval({ told: "ada approved this review at noon.", mayDecide: false }) }));
  expect((await screen.findByText(head.toApproval)).getAttribute("href")).toContain("tab=approval");
  expect(screen.getByText(texts.tabs.diff).getAttribute("aria-current")).toBe("page");
});

test.each(["tab=changes", "tab=nope", "tab=constructor", "tab=__proto__", "tab=toString", "tab=", "tab=3", "tab=%7B%22a%22%3A1%7D", "tab=%5B%22diff%22%5D", "file=%7B%7D", "utm=mail"])("an address with ?%s shows the first tab", async (search) => {
  stubService({ [`GET ${at}`]: sampleRun({ findings: [finding()] }), [`GET ${at}/diff`]: diff });
  showPage(RunPage, "/repositories/$repositoryId/runs/$runId", `/t/ten_1/repositories/rep_1/runs/run_1?${search}`);
  expect(await screen.findByText("A payout can be sent twice")).toBeTruthy();
  expect(screen.getByText(texts.tabs.diff).getAttribute("aria-current")).toBe("page");
});

test("code beside the change stands below its reason, with the index that was asked", async () => {
  const item = { ordinal: 1, path: "shop/rates.go", startLine: 3, endLine: 9, symbol: "rates", why: "definition", about: "" };
  stubService({ [`GET ${at}`]: sampleRun(), [`GET ${at}/context`]: { items: [item, { ...item, ordinal: 2, path: "shop/use.go", why: "caller", about: "Total" }], indexCommit: "c0ffee0123456789" } });
  showPage(RunPage, "/repositories/$repositoryId/runs/$runId", "/t/ten_1/repositories/rep_1/runs/run_1?tab=context", runSearch);
  await screen.findByText(shownCode.index("c0ffee0123"));
  screen.getByRole("heading", { name: shownCode.reasons["caller"] ?? "" });
  screen.getByText("shop/use.go:3-9");
});

test("a candidate that was not shown links to the finding that stands for it", async () => {
  const one = { stage: "merge", reason: "duplicate", origin: "model", ruleId: "llm/bug", category: "bug", severity: "high", path: "a.go", side: "RIGHT", startLine: 3, endLine: 3, explanation: "", verdict: "", verdictWhy: "", said: "", saidWhy: "" };
  const items = [
    { ...one, ordinal: 1, title: "Said twice", findingId: "fnd_1" },
    { ...one, ordinal: 2, title: "Refuted", stage: "verify", reason: "refuted", findingId: "fnd_2" },
    { ...one, ordinal: 3, title: "Nowhere", stage: "place", reason: "no valid anchor" },
  ];
  stubService({ [`GET ${at}`]: sampleRun(), [`GET ${at}/dropped`]: { items, counts: { duplicate: 1 } } });
  showPage(RunPage, "/repositories/$repositoryId/runs/$runId", "/t/ten_1/repositories/rep_1/runs/run_1?tab=dropped", runSearch);
  const linkOf = (title: string) => [...(screen.getByText(title).closest("article")?.querySelectorAll("a") ?? [])].map((a) => [a.textContent, a.getAttribute("href")]);
  await screen.findByText("Said twice");
  expect(linkOf("Said twice")).toEqual([[texts.dropped.stands, "/t/ten_1/repositories/rep_1/findings/fnd_1"]]);
  expect(linkOf("Refuted")).toEqual([[texts.findings.history, "/t/ten_1/repositories/rep_1/findings/fnd_2"]]);
  expect(linkOf("Nowhere")).toEqual([]);
});

test("a run without prices says it in one sentence for one call and for several", () => {
  expect(texts.usage.unpriced(1)).toBe("The price of 1 call is unknown, so the cost is unknown.");
  expect(texts.usage.unpriced(8)).toBe("The price of 8 calls is unknown, so the cost is unknown.");
});

test("entries of the repository's file without an effect are in a block, as text", async () => {
  open(sampleRun({ repositoryFile: [".assay.yaml:1:1: <b>profil</b> is unknown"] }));
  const block = (await screen.findByText(".assay.yaml:1:1: <b>profil</b> is unknown")).closest(".note");
  expect(block?.textContent).toContain(head.repositoryFile);
});

test("settings that switched checks off are in a block", async () => {
  open(sampleRun({ checksOff: ["deterministic.secrets is false in .assay.yaml"] }));
  const block = (await screen.findByText("deterministic.secrets is false in .assay.yaml")).closest(".note");
  expect(block?.textContent).toContain(head.checksOff);
});

test("a run without such entries has no block for them", async () => {
  open(sampleRun({ findings: [finding()] }));
  await screen.findByText("A payout can be sent twice");
  expect(screen.queryByText(head.repositoryFile)).toBeNull();
  expect(screen.queryByText(head.checksOff)).toBeNull();
});
