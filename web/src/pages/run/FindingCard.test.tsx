import { screen } from "@testing-library/react";
import { expect, test } from "vitest";
import { showPage } from "@/test/page";
import { finding, sampleRun } from "@/test/run";
import { run as texts } from "@/texts/run";
import { FindingsTab } from "./FindingsTab";
import { FindingCard } from "./FindingCard";
import { Heading } from "./Heading";
import { linksOf } from "./links";

const links = linksOf("ten_1", "rep_1", "run_1");
const suggestion = { path: "pay.go", startLine: 3, endLine: 3, old: "a", new: "b" };
const open = (what: () => React.ReactNode) => showPage(what, "/x", "/t/ten_1/x");

test.each([
  [true, texts.findings.suggestion("pay.go:3")],
  [false, texts.findings.reading("pay.go:3")],
])("a suggestion that applies: %s", async (applies, says) => {
  open(() => <FindingCard finding={finding({ suggestion: { ...suggestion, applies } })} links={links} />);
  expect(await screen.findByText(says)).toBeTruthy();
});

test("a finding shows its subject and its relation to the change in words", async () => {
  open(() => <FindingCard finding={finding({ category: "api", scope: "pre_existing", symbol: "Pay" })} links={links} />);
  const line = (await screen.findByText(/Interfaces/)).textContent;
  expect(line).toContain("existed before");
  expect(line).toContain("in Pay");
});

test("the outline of the findings has no gaps", async () => {
  open(() => <FindingsTab run={sampleRun({ findings: [finding({ path: "a.go" })] })} links={links} />);
  await screen.findByText("a.go");
  expect(screen.getAllByRole("heading").map((h) => h.tagName)).toEqual(["H2", "H3"]);
});

test("a review links to its repository and to the other reviews of the pull request, and shows its cause in words", async () => {
  open(() => <Heading run={sampleRun({ depth: "reduced" })} links={links} actions={null} />);
  expect((await screen.findByText(texts.repository)).getAttribute("href")).toBe("/t/ten_1/repositories/rep_1");
  expect(screen.getByText(texts.otherRuns).getAttribute("href")).toBe("/t/ten_1/runs?repository=rep_1&number=7");
  expect(screen.getByText(/the pull request was opened/)).toBeTruthy();
  expect(screen.getByText(texts.reduced)).toBeTruthy();
});

test.each([
  ["confirmed", true],
  ["refuted", true],
  ["unproven", false],
])("what a verdict stands on is shown as code if it is a quotation: %s", async (verdict, code) => {
  const why = "if end >= n {\n\tend = n";
  open(() => <FindingCard finding={finding({ verdict: verdict as "confirmed", verdictWhy: why })} links={links} />);
  const shown = await screen.findByText((_, e) => e?.textContent?.endsWith(why) === true && e.children.length === (code ? 0 : 1) && ["CODE", "P"].includes(e.tagName));
  expect(shown.closest("pre") !== null).toBe(code);
});
