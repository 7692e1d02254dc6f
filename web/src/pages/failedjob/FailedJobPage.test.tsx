import { screen } from "@testing-library/react";
import { afterEach, expect, test, vi } from "vitest";
import { showPage, stubService } from "@/test/page";
import { failedJobs as texts } from "@/texts/failedJobs";
import { records } from "@/texts/records";
import { FailedJobs } from "@/pages/records/FailedJobs";
import { FailedJobPage } from "./FailedJobPage";

afterEach(() => vi.unstubAllGlobals());

const list = "/api/tenants/ten_1/repositories/rep_1/ci-analyses";
const one = {
  id: "cia_1",
  number: 7,
  headSha: "abcdef0123456789",
  job: "build / test",
  source: "job",
  url: "javascript:alert(1)",
  state: "completed",
  reason: "without a model: none is routed",
  tool: "go test",
  cause: "TestHalf failed",
  relation: "caused",
  evidence: [{ source: "log", line: 12, text: "--- FAIL: TestHalf" }],
  suggestion: "",
  method: "pattern",
  model: "",
  costMicros: null,
  flaky: true,
  failedBefore: 3,
  flakyBefore: 2,
  onBase: "failed",
  facts: [],
  noLog: "",
  logLines: 900,
  notes: ["The end of the log is missing."],
  createdAt: "2026-11-25T10:00:00Z",
};

const show = () => showPage(FailedJobPage, "/repositories/$repositoryId/ci-analyses/$analysisId", "/t/ten_1/repositories/rep_1/ci-analyses/cia_1");

test("a failed job has its cause, history, and log with marked lines", async () => {
  stubService({ [`GET ${list}/cia_1`]: { ...one, log: [{ leftOut: 11 }, { line: 12, text: "--- FAIL: TestHalf" }, { line: 13, text: "FAIL" }, { leftOut: 887 }] } });
  show();
  expect(await screen.findByText("TestHalf failed")).toBeTruthy();
  expect(screen.getByText(texts.history(2, 3))).toBeTruthy();
  expect(screen.getByText(texts.gap(11))).toBeTruthy();
  expect(screen.getAllByText(texts.marked)).toHaveLength(1);
  expect(screen.getByText("2 of 900 lines kept")).toBeTruthy();
  expect(document.body.textContent).toContain("Log, line 12: --- FAIL: TestHalf");
  expect(screen.queryByRole("link", { name: texts.onHost })).toBeNull();
});

test("a job without a log says why", async () => {
  stubService({ [`GET ${list}/cia_1`]: { ...one, evidence: [], noLog: "The code host gives no logs of jobs." } });
  show();
  expect(await screen.findByText("The code host gives no logs of jobs.")).toBeTruthy();
});

test("a job that is not explained yet has no cause and no relation in the list", async () => {
  stubService({ [`GET ${list}`]: { items: [{ ...one, state: "queued", cause: "", reason: "", relation: "", flaky: false, onBase: "" }] } });
  showPage(() => <FailedJobs tenantId="ten_1" repositoryId="rep_1" />, "/repositories/$repositoryId/records/ci-analyses", "/t/ten_1/repositories/rep_1/records/ci-analyses");
  await screen.findByText("build / test");
  expect([...document.querySelectorAll("td")].filter((e) => e.innerHTML === "").map((e) => e.getAttribute("data-label"))).toEqual([texts.cause, texts.relation]);
});

test("the list says how jobs are chosen while it is empty", async () => {
  stubService({ [`GET ${list}`]: { items: [] } });
  showPage(() => <FailedJobs tenantId="ten_1" repositoryId="rep_1" />, "/repositories/$repositoryId/records/ci-analyses", "/t/ten_1/repositories/rep_1/records/ci-analyses");
  expect(await screen.findByText(records.empty["ci-analyses"])).toBeTruthy();
});
