import { screen, within } from "@testing-library/react";
import { afterEach, expect, test, vi } from "vitest";
import { showPage, stubService } from "@/test/page";
import { finding as sample } from "@/test/run";
import { fixRuns as texts } from "@/texts/fixruns";
import { FindingPage } from "./FindingPage";

afterEach(() => vi.unstubAllGlobals());

const at = "/api/tenants/ten_1/repositories/rep_1/findings/fnd_1";
const made = { createdAt: "2026-11-23T12:00:00Z", updatedAt: "2026-11-23T12:00:00Z" };
const fix = (id: string, state: string, outcome: string, sentence: string) => ({ id, state, outcome, sentence, delivery: "suggestions", askedBy: "Ada", createdAt: made.createdAt });
const finding = {
  ...sample({ title: "The sum is wrong", state: "open" }),
  pullRequest: { number: 7, title: "Pay", state: "open" }, firstRunId: "run_1", lastRunId: "run_1", sightings: [], decisions: [], replies: [], outcomes: [], whyNotDismiss: "", whyNotFix: "", fixDeliveries: ["suggestions"], ...made,
}; // prettier-ignore

const open = (fixes: object[]) => {
  stubService({ [`GET ${at}`]: { ...finding, fixes } });
  showPage(() => <FindingPage />, "/repositories/$repositoryId/findings/$findingId", "/t/ten_1/repositories/rep_1/findings/fnd_1");
};

test("a finding shows its fix runs with a link to each, and why one gave no fix", async () => {
  open([fix("fix_3", "running", "", ""), fix("fix_2", "completed", "passed", ""), fix("fix_1", "completed", "refused", "The change removes a function.")]);
  const part = (await screen.findByRole("heading", { name: texts.runs })).closest("section") as HTMLElement;
  expect(within(part).getAllByRole("link").map((e) => e.getAttribute("href"))).toEqual(["fix_3", "fix_2", "fix_1"].map((id) => `/t/ten_1/repositories/rep_1/fix-runs/${id}`));
  for (const says of [texts.states.running, texts.outcomeOf.passed, texts.outcomeOf.refused, "The change removes a function."]) expect(within(part).getByText(says)).toBeTruthy();
});

test("a finding without a fix run says so", async () => {
  open([]);
  expect(await screen.findByText(texts.noneOfFinding)).toBeTruthy();
});
