import { screen } from "@testing-library/react";
import { afterEach, expect, test, vi } from "vitest";
import { showPage, stubService } from "@/test/page";
import { finding, sampleRun } from "@/test/run";
import { run as texts } from "@/texts/run";
import { RunPage } from "./RunPage";
import { runSearch } from "./tabs";

afterEach(() => vi.unstubAllGlobals());

test.each(["tab=changes", "tab=nope", "tab=constructor", "tab=__proto__", "tab=toString", "tab=", "tab=3", "tab=%7B%22a%22%3A1%7D", "tab=%5B%22diff%22%5D", "file=%7B%7D", "utm=mail"])("an address with ?%s shows the first tab", async (search) => {
  stubService({ "GET /api/tenants/ten_1/repositories/rep_1/review-runs/run_1": sampleRun({ findings: [finding()] }) });
  showPage(RunPage, "/repositories/$repositoryId/runs/$runId", `/t/ten_1/repositories/rep_1/runs/run_1?${search}`);
  expect(await screen.findByText("A payout can be sent twice")).toBeTruthy();
  expect(screen.getByText(texts.tabs.findings).getAttribute("aria-current")).toBe("page");
});

test("a candidate that was not shown links to the finding that stands for it", async () => {
  const at = "/api/tenants/ten_1/repositories/rep_1/review-runs/run_1";
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
