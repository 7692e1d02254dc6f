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

const tiers = { model: "gpt-5.4", vendor: "OpenAI", panel: false };
const panel = { model: "claude-sonnet-5", vendor: "Anthropic", panel: true };

test.each([
  [[tiers], "found by OpenAI gpt-5.4"],
  [[panel], "found by Anthropic claude-sonnet-5 (panel)"],
  [[tiers, panel], "found by both vendors: OpenAI gpt-5.4, Anthropic claude-sonnet-5 (panel)"],
])("a finding names the models that reported it", async (foundBy, says) => {
  open(() => <FindingCard finding={finding({ foundBy })} links={links} />);
  expect((await screen.findByText(/Bugs|found by/)).textContent).toContain(says);
});

test("a run counts who found its findings, if a panel looked", async () => {
  open(() => <FindingsTab run={sampleRun({ findings: [finding({ id: "a", foundBy: [tiers, panel] }), finding({ id: "b", foundBy: [panel] }), finding({ id: "c", foundBy: [panel] })] })} links={links} />);
  const line = (await screen.findByText(new RegExp(texts.findings.finders))).textContent;
  expect(line).toContain(`${texts.findings.agreed(1)} · ${texts.findings.onlyTiers(0)} · ${texts.findings.onlyPanel(2)}`);
});

test("earlier findings and checks are counted apart, because no model of this run reported them", async () => {
  const findings = [finding({ id: "a", foundBy: [tiers] }), finding({ id: "b", known: true, foundBy: [panel] }), finding({ id: "c", known: true }), finding({ id: "d", origin: "secret" })];
  open(() => <FindingsTab run={sampleRun({ findings })} links={links} />);
  const line = (await screen.findByText(new RegExp(texts.findings.finders))).textContent;
  expect(line).toContain(`${texts.findings.agreed(0)} · ${texts.findings.onlyTiers(1)} · ${texts.findings.onlyPanel(0)} · ${texts.findings.checks(1)} · ${texts.findings.earlier(2)}`);
});

test("a run whose panel reported only earlier findings counts no models", async () => {
  open(() => <FindingsTab run={sampleRun({ findings: [finding({ id: "a" }), finding({ id: "b", known: true, foundBy: [panel] })] })} links={links} />);
  expect(await screen.findByText(texts.findings.count(2))).toBeTruthy();
  expect(screen.queryByText(new RegExp(texts.findings.finders))).toBeNull();
});

test("further places of a finding stand on its card without a click", async () => {
  const other = { kind: "place", path: "cart.go", startLine: 20, endLine: 20, quote: "x := 1", note: "" };
  open(() => <FindingCard finding={finding({ evidence: [other, { ...other, path: "page.go", startLine: 7, endLine: 9 }, { ...other, kind: "code", path: "def.go" }] })} links={links} />);
  const line = (await screen.findByText(`${texts.findings.alsoAt}:`)).parentElement;
  expect(line?.textContent).toBe(`${texts.findings.alsoAt}:cart.go:20page.go:7–9`);
  expect(line?.closest("details")).toBeNull();
  expect(screen.getByText(texts.findings.evidence(3))).toBeTruthy();
});

test.each([[true], [false]])("on its own page a finding does not say that an earlier review showed it: %s", async (standalone) => {
  open(() => <FindingCard finding={finding({ known: true })} links={links} standalone={standalone} />);
  await screen.findByText("Nothing remembers that it was sent.");
  expect(screen.queryByText(texts.findings.known) !== null).toBe(!standalone);
});

test("a finding in one place has no line for further places", async () => {
  open(() => <FindingCard finding={finding()} links={links} />);
  await screen.findByText("A payout can be sent twice");
  expect(screen.queryByText(`${texts.findings.alsoAt}:`)).toBeNull();
});

test("the outline of the findings has no gaps", async () => {
  open(() => <FindingsTab run={sampleRun({ findings: [finding({ path: "a.go" })] })} links={links} />);
  await screen.findByText("a.go");
  expect(screen.getAllByRole("heading").map((h) => h.tagName)).toEqual(["H2", "H3"]);
});

test("a review links to its repository and to the other reviews of the pull request, and shows its cause in words", async () => {
  open(() => <Heading run={sampleRun({ depth: "reduced" })} links={links} actions={null} />);
  expect((await screen.findByText(texts.repository)).getAttribute("href")).toBe("/t/ten_1/repositories/rep_1");
  expect(screen.getByText(texts.otherRuns).getAttribute("href")).toBe("/t/ten_1/repositories/rep_1/pulls/7");
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
  const shown = await screen.findByText((_, e) => e?.textContent?.endsWith(why) === true && e.tagName === (code ? "BDI" : "P"));
  expect(shown.closest("pre") !== null).toBe(code);
});
