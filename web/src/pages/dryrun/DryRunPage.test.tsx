import { fireEvent, screen, waitFor, within } from "@testing-library/react";
import { notifications } from "@mantine/notifications";
import { afterEach, expect, test, vi } from "vitest";
import { dryRun as texts } from "@/texts/dryrun";
import { showPage, stubService, type Answers } from "@/test/page";
import { DryRunPage } from "./DryRunPage";
import { flat } from "./Overrides";
import { type DryRun, progressOf, type PullResult, type Tried } from "./queries";

afterEach(() => {
  vi.unstubAllGlobals();
  notifications.clean();
});

const tried = (title: string, over: Partial<Tried> = {}): Tried => ({ category: "bug", confidence: 0.8, path: "pay.go", route: "inline", ruleId: "llm/bug", severity: "high", title, startLine: 3, endLine: 5, ...over });

const pull: PullResult = {
  number: 17,
  title: "Pay out twice a day",
  state: "completed",
  tier: "T2",
  findings: [tried("A payout can be sent twice"), tried("A line that misleads", { severity: "low" })],
  usage: [{ tier: "strong", model: "m-large", calls: 3, inputTokens: 1000, cachedTokens: 200, outputTokens: 50, costMicros: 20_000 }],
  costMicros: 20_000,
  latencyMs: 61_000,
  published: {
    runId: "run_9", headSha: "ab", sameHead: false, same: 4, costMicros: 10_000, latencyMs: 30_000, inlineThen: 1, inlineNow: 2, summaryThen: 0, summaryNow: 0, modelStateWas: "complete",
    new: [tried("Would be new")], gone: [tried("Would be gone")], changed: [{ fields: ["severity", "place"], before: tried("Was so", { severity: "low" }), after: tried("Is so") }],
  }, // prettier-ignore
};

const totals = { pullRequests: 2, completed: 1, failed: 0, inline: 2, summary: 0, stored: 1, compared: 1, new: 1, gone: 1, changed: 1, same: 4, costThenMicros: 10_000, costNowMicros: 20_000, costMicros: null, calls: 3 };

const sample = (over: Partial<DryRun> = {}): DryRun => ({
  id: "dry_1", label: "Stricter", state: "running", reason: "", createdBy: "usr_1", createdAt: "2026-11-23T10:00:00Z", startedAt: "2026-11-23T10:00:00Z", pullRequests: [17, 21],
  overrides: { policy: { minSeverity: "high", categories: { docs: false } } },
  result: { pullRequests: [pull, { number: 21, state: "queued", findings: [], usage: [], costMicros: null }], totals },
  ...over,
}); // prettier-ignore

const place = "/api/tenants/ten_1/repositories/rep_1/dry-runs/dry_1";
const access = (permissions: string[]) => ({ permissions: [], repositories: [{ repositoryId: "rep_1", permissions }] });

const open = (answers: Answers) => {
  const sent = stubService({ "GET /api/tenants/ten_1/access": access(["repo:manage"]), ...answers });
  showPage(() => <DryRunPage />, "/repositories/$repositoryId/dry-runs/$dryRunId", "/t/ten_1/repositories/rep_1/dry-runs/dry_1");
  return sent;
};

test("a dry run shows its settings, its result, and new, gone and changed findings", async () => {
  open({ [`GET ${place}`]: sample() });
  expect(await screen.findByRole("heading", { level: 1, name: "Stricter" })).toBeTruthy();
  expect(screen.getByText(texts.progress(1, 2))).toBeTruthy();
  expect(screen.getByText("Minimum severity")).toBeTruthy();
  const sheet = within(screen.getByRole("region", { name: /^#17/ }));
  for (const says of [texts.newOf(1), texts.goneOf(1), texts.changedOf(1), texts.otherHead, texts.sameOf(4), "T2 (ordinary)", "1 min 1 s; the published review 30 s", "m-large"]) expect(sheet.getByText(says), says).toBeTruthy();
  expect(sheet.getByText(texts.differs("severity, place"))).toBeTruthy();
  expect(sheet.getByText(texts.published).getAttribute("href")).toBe("/t/ten_1/repositories/rep_1/runs/run_9");
  expect(within(screen.getByRole("region", { name: texts.totals })).getByText("unknown")).toBeTruthy(); // a price that is not known is not 0
});

test("a manager of the repository ends a dry run after a confirmation", async () => {
  let state: DryRun["state"] = "running";
  const sent = open({ [`GET ${place}`]: () => sample({ state }), [`POST ${place}/cancel`]: () => ((state = "cancelled"), sample({ state })) });
  fireEvent.click(await screen.findByText(texts.cancel));
  expect(sent.some((r) => r.method === "POST")).toBe(false);
  fireEvent.click(await screen.findByText(texts.cancelDoes));
  expect(await screen.findByText(texts.sentence.cancelled)).toBeTruthy();
  expect(screen.queryByText(texts.cancel)).toBeNull();
  expect(screen.getByText(texts.leftOut)).toBeTruthy(); // what was not looked at
});

test("a viewer cannot end a dry run", async () => {
  open({ "GET /api/tenants/ten_1/access": access(["repo:view"]), [`GET ${place}`]: sample({ overrides: {}, label: "" }) });
  expect((await screen.findByRole("heading", { level: 1 })).textContent).toBe(texts.unnamed);
  expect(await screen.findByText(texts.asItIs)).toBeTruthy();
  expect(screen.queryByText(texts.cancel)).toBeNull();
});

test("a dry run that goes on is read again until it is over", async () => {
  vi.useFakeTimers({ toFake: ["setInterval", "setTimeout", "clearInterval", "clearTimeout"], shouldAdvanceTime: true, advanceTimeDelta: 500 });
  try {
    const states: DryRun["state"][] = ["queued", "running", "completed"];
    open({ [`GET ${place}`]: () => sample({ state: states.shift() ?? "completed" }) });
    await waitFor(() => expect(screen.getByText("completed")).toBeTruthy());
    expect(states).toEqual([]);
  } finally {
    vi.useRealTimers();
  }
});

test("the settings of a document are named through their parts", () => {
  expect(flat({ a: 1, b: { c: [1], d: { e: null } } })).toEqual([["a", 1], ["b.c", [1]], ["b.d.e", null]]); // prettier-ignore
});

test("the number of pull requests is unknown until the newest ones are found", () => {
  expect(progressOf(sample({ pullRequests: [], result: { totals, pullRequests: [] } }))).toEqual({ over: 0, of: 0 });
  expect(progressOf(sample())).toEqual({ over: 1, of: 2 });
});
