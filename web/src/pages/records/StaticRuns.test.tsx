import { fireEvent, screen, waitFor } from "@testing-library/react";
import { afterEach, expect, test, vi } from "vitest";
import { showPage, stubService } from "@/test/page";
import { text } from "@/texts";
import { records } from "@/texts/records";
import { staticAnalysis as texts } from "@/texts/staticAnalysis";
import { StaticRuns } from "./StaticRuns";

afterEach(() => vi.unstubAllGlobals());

const at = "/api/tenants/ten_1/repositories/rep_1/sast-runs";
const analyser = { name: "gosec", version: "2.30.0", durationMs: 3200, results: 4, new: 1, old: 2, suppressed: 1, leftOut: 1, failed: false, stays: 0 };
const one = {
  id: "sas_1",
  runId: "run_1",
  headSha: "abcdef0123456789",
  source: "upload",
  state: "completed",
  analysers: [analyser],
  newFindings: 1,
  oldFindings: 2,
  leftOut: [{ analyser: "gosec", why: "the path is outside the repository", unit: "results", count: 1, examples: ["sast/gosec/G1 in ../x"] }],
  reason: "",
  createdAt: "2026-11-25T10:00:00Z",
};

const show = (search = "") => showPage(() => <StaticRuns tenantId="ten_1" repositoryId="rep_1" />, "/repositories/$repositoryId/records/sast-runs", `/t/ten_1/repositories/rep_1/records/sast-runs${search}`);

test("a run has its analysers, counts, results that were not used, and SARIF", async () => {
  stubService({ [`GET ${at}`]: { items: [one] } });
  show();
  expect(await screen.findByText(/gosec 2\.30\.0/)).toBeTruthy();
  expect(screen.getByText(/3\.2 s, 1 suppressed/)).toBeTruthy();
  expect(screen.getByText("Left out: 1 result")).toBeTruthy();
  expect(screen.getByText(/because the path is outside the repository/)).toBeTruthy();
  expect(screen.getByRole("link", { name: texts.downloadOf("abcdef0") }).getAttribute("href")).toBe(`${at}/sas_1/sarif`);
});

test("what is left out is counted by its unit", async () => {
  const note = { analyser: "shellcheck", why: "the analyser did not get the file", unit: "files", count: 2 };
  const leftOut = [...one.leftOut, note, { ...note, why: "it is off", count: 1 }, { ...note, unit: "analysers", why: "its program is missing", count: 1 }];
  stubService({ [`GET ${at}`]: { items: [{ ...one, leftOut }] } });
  show();
  expect(await screen.findByText("Left out: 1 result, 3 files of analysers, 1 analyser that did not finish")).toBeTruthy();
  expect(screen.getByText("shellcheck: 2 files, because the analyser did not get the file")).toBeTruthy();
  expect(screen.getByText("shellcheck: its program is missing")).toBeTruthy();
});

test("an upload waits for a review, and an analyser that failed is named", async () => {
  const { runId, ...upload } = one;
  expect(runId).not.toBe("");
  stubService({ [`GET ${at}`]: { items: [{ ...upload, state: "waiting" }, { ...one, id: "sas_2", state: "failed", reason: "the analyser reports that it did not finish", analysers: [{ ...analyser, failed: true }] }] } });
  show();
  expect(await screen.findByText("the analyser reports that it did not finish")).toBeTruthy();
  expect(screen.getAllByText(texts.states.waiting)).toHaveLength(2); // a filter has it, too
});

test("a document without runs has an empty cell in place of analysers", async () => {
  stubService({ [`GET ${at}`]: { items: [{ ...one, analysers: [], leftOut: [] }] } });
  show();
  expect(await screen.findByRole("link", { name: texts.downloadOf("abcdef0") })).toBeTruthy();
  expect([...document.querySelectorAll("td")].filter((e) => e.innerHTML === "").map((e) => e.getAttribute("data-label"))).toEqual([texts.analysers]);
});

test("an empty list says how runs come about", async () => {
  stubService({ [`GET ${at}`]: { items: [] } });
  show();
  expect(await screen.findByText(records.empty["sast-runs"])).toBeTruthy();
});

test("open findings of an analyser that does not report any more are counted", async () => {
  stubService({ [`GET ${at}`]: { items: [{ ...one, source: "review", analysers: [{ ...analyser, name: "lint", version: "", durationMs: 0, suppressed: 0, stays: 3 }] }] } });
  show();
  expect(await screen.findByText(/did not report on this commit, so 3 earlier findings stay open/)).toBeTruthy();
});

test("the filters of the address and of the page reach the service", async () => {
  const sent = stubService({ [`GET ${at}`]: { items: [] } });
  show("?source=upload&state=nonsense");
  expect(await screen.findByText(texts.noneOfFilter)).toBeTruthy();
  expect(new URL(sent.at(-1)!.url).search).toBe("?source=upload");
  fireEvent.change(screen.getByLabelText(records.state), { target: { value: "failed" } });
  await waitFor(() => expect(new URL(sent.at(-1)!.url).search).toBe("?source=upload&state=failed"));
});

test("further runs are a page away", async () => {
  const sent = stubService({ [`GET ${at}`]: (r: Request) => Response.json(r.url.includes("cursor=") ? { items: [{ ...one, id: "sas_51" }] } : { items: Array.from({ length: 50 }, (_, i) => ({ ...one, id: `sas_${i}` })), nextCursor: "c2" }) });
  show();
  await screen.findAllByText(/gosec 2\.30\.0/);
  fireEvent.click(screen.getByRole("button", { name: text.common.more }));
  await waitFor(() => expect(screen.getAllByText(/gosec 2\.30\.0/)).toHaveLength(51));
  expect(sent.at(-1)!.url).toContain("cursor=c2");
});
