import { fireEvent, screen, waitFor, within } from "@testing-library/react";
import { afterEach, expect, test, vi } from "vitest";
import { showPage, stubService } from "@/test/page";
import { findings as texts } from "@/texts/findings";
import { FindingsPage } from "./FindingsPage";
import { readSearch } from "./route";

afterEach(() => vi.unstubAllGlobals());

const list = "GET /api/tenants/ten_1/findings";
const bySeverity = { critical: 1, high: 1, medium: 0, low: 0, info: 0 };

const finding = (id: string, title: string, severity: string, over: object = {}) => ({
  id,
  title,
  severity,
  path: "a.go",
  side: "RIGHT",
  startLine: 7,
  endLine: 7,
  ruleId: "llm/x",
  state: "open",
  lastRunId: "run_1",
  createdAt: "2026-11-23T10:00:00Z",
  repository: { id: "rep_1", owner: "acme", name: "shop" },
  pullRequest: { number: 7, title: "Pay out", state: "open", author: "mona" },
  mayDismiss: true,
  mayReopen: false,
  ...over,
});

const both = [finding("fnd_1", "A key", "critical"), finding("fnd_2", "A race", "high")];

const open = (at: string, items: unknown[], counts: object = { total: items.length, more: false, bySeverity }, answers: object = {}) => {
  const sent = stubService({ [list]: { items, counts }, "GET /api/tenants/ten_1/repositories": { items: [] }, ...answers });
  return { sent, ...showPage(() => <FindingsPage />, "/findings", at, readSearch) };
};

const asked = (sent: Request[]) => sent.filter((r) => r.url.includes("/findings?")).map((r) => Object.fromEntries(new URL(r.url).searchParams));

test("the list shows where each finding is, and how many there are", async () => {
  open("/t/ten_1/findings", both);
  const link = (await screen.findByText("A key")).closest("a");
  expect(link?.getAttribute("href")).toBe("/t/ten_1/repositories/rep_1/findings/fnd_1");
  const row = within(link!.closest("tr")!);
  expect(row.getByText("acme/shop")).toBeTruthy();
  expect(row.getByText("mona")).toBeTruthy();
  expect(screen.getByText(texts.count(2, false)).getAttribute("role")).toBe("status");
  expect(within(screen.getByRole("group", { name: texts.bySeverity })).getByText("1 High")).toBeTruthy();
});

test("an empty list says how many findings there are once, and nothing of severities", async () => {
  open("/t/ten_1/findings", []);
  expect(await screen.findByText(texts.count(0, false))).toBeTruthy();
  expect(screen.queryByRole("group", { name: texts.bySeverity })).toBeNull();
});

test("an empty list of one's own findings names the sign-in that it needs", async () => {
  open("/t/ten_1/findings?mine=true", []);
  expect(await screen.findByText(texts.noneMine)).toBeTruthy();
});

test("findings are dismissed together only once some are selected", async () => {
  open("/t/ten_1/findings", both);
  await screen.findByText("A key");
  const together = () => within(screen.getAllByRole("row")[0]!).getByRole<HTMLButtonElement>("button");
  expect([together().textContent, together().getAttribute("aria-label"), together().disabled]).toEqual(["Dismiss", "Dismiss", true]);
  fireEvent.click(screen.getByLabelText(texts.selectAll));
  expect([together().textContent, together().getAttribute("aria-label"), together().disabled]).toEqual(["Dismiss 2", "Dismiss 2 findings", false]);
});

test("filters and the page of the address are asked for", async () => {
  const { sent } = open("/t/ten_1/findings?repository=rep_1&mine=true&sort=oldest&page=3", both, { total: 120, more: false, bySeverity });
  await screen.findByText("A key");
  expect(asked(sent)).toEqual([{ mine: "true", sort: "oldest", repositoryId: "rep_1", limit: "50", skip: "100" }]);
});

test("a person jumps to a page, and another filter leads to the first one", async () => {
  const { router } = open("/t/ten_1/findings", both, { total: 10_000, more: true, bySeverity });
  fireEvent.change(await screen.findByLabelText(texts.pages.page), { target: { value: "150" } });
  await waitFor(() => expect(router.state.location.searchStr).toBe("?page=150"));
  fireEvent.change(screen.getByLabelText(texts.severity), { target: { value: "high" } });
  await waitFor(() => expect(router.state.location.searchStr).toBe("?severity=high"));
  expect(screen.getAllByRole("status")[0]?.textContent).toBe(texts.count(10_000, true));
});

test("a page beyond the last one says so, and does not claim that there are no findings", async () => {
  const { router } = open("/t/ten_1/findings?page=2", [], { total: 50, more: false, bySeverity });
  const first = await screen.findByText(texts.pages.first);
  expect(screen.queryByText(texts.none)).toBeNull();
  fireEvent.click(first);
  await waitFor(() => expect(router.state.location.searchStr).toBe(""));
});

test("saved views are links", async () => {
  open("/t/ten_1/findings?severity=critical", both);
  const critical = await screen.findByText(texts.views.critical);
  expect(critical.getAttribute("aria-current")).toBe("page");
  expect(screen.getByText(texts.views.open).getAttribute("aria-current")).toBeNull();
  expect(screen.getByText(texts.views.mine).getAttribute("href")).toBe("/t/ten_1/findings?mine=true");
  expect(screen.getByText(texts.views.dismissed).getAttribute("href")).toBe("/t/ten_1/findings?state=dismissed");
  await screen.findByText("A key");
});

test("selected findings are dismissed for one reason, and refusals are named", async () => {
  const results = { dismissed: 1, items: [{ findingId: "fnd_1", outcome: "dismissed" }, { findingId: "fnd_2", outcome: "refused", code: "own_pull_request", detail: "Ask another person." }] }; // prettier-ignore
  const { sent } = open("/t/ten_1/findings", [...both, finding("fnd_3", "Not mine", "low", { mayDismiss: false })], undefined, { "POST /api/tenants/ten_1/findings/dismissals": results });
  await screen.findByText("A key");
  expect(screen.queryByLabelText(texts.select("Not mine"))).toBeNull();
  fireEvent.click(screen.getByLabelText(texts.selectAll));
  fireEvent.click(screen.getByRole("button", { name: texts.dismiss(2) }));
  const dialog = await screen.findByRole("dialog");
  fireEvent.submit(within(dialog).getByLabelText(texts.note));
  expect(within(dialog).getByRole("alert").textContent).toBe(texts.chooseReason);
  expect(sent.some((r) => r.method === "POST")).toBe(false);
  fireEvent.click(within(dialog).getByRole("button", { name: texts.reasons.intended }));
  expect(await screen.findByText(texts.refused(1))).toBeTruthy();
  expect(screen.getByText(texts.refused(1)).parentElement?.textContent).toContain("A race: Ask another person.");
  const post = sent.find((r) => r.method === "POST")!;
  expect(await post.json()).toEqual({ findingIds: ["fnd_1", "fnd_2"], reason: "intended" });
});

test("a finding is dismissed by the button of its row, and others stay selected", async () => {
  const results = { dismissed: 1, items: [{ findingId: "fnd_2", outcome: "dismissed" }] };
  const { sent } = open("/t/ten_1/findings", [...both, finding("fnd_3", "Not mine", "low", { mayDismiss: false })], undefined, { "POST /api/tenants/ten_1/findings/dismissals": results });
  fireEvent.click(await screen.findByLabelText(texts.select("A key")));
  expect(screen.queryByRole("button", { name: texts.dismissTitle("Not mine") })).toBeNull();
  fireEvent.click(screen.getByRole("button", { name: texts.dismissTitle("A race") }));
  fireEvent.click(within(await screen.findByRole("dialog")).getByRole("button", { name: texts.reasons.wrong }));
  await waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
  expect(await sent.find((r) => r.method === "POST")!.json()).toEqual({ findingIds: ["fnd_2"], reason: "wrong" });
  expect(screen.getByLabelText<HTMLInputElement>(texts.select("A key")).checked).toBe(true);
});

test("j and k move, x selects, and e dismisses", async () => {
  open("/t/ten_1/findings", both);
  await screen.findByText("A key");
  const press = (key: string) => fireEvent.keyDown(document.activeElement ?? document.body, { key });
  press("j");
  expect(document.activeElement?.textContent).toBe("A key");
  press("j");
  expect(document.activeElement?.textContent).toBe("A race");
  press("k");
  expect(document.activeElement?.textContent).toBe("A key");
  press("x");
  expect(screen.getByLabelText<HTMLInputElement>(texts.select("A key")).checked).toBe(true);
  expect(screen.getByLabelText<HTMLInputElement>(texts.select("A race")).checked).toBe(false);
  press("e");
  expect(await screen.findByLabelText(texts.note)).toBeTruthy();
  expect(within(screen.getByRole("dialog")).getByRole("group", { name: texts.reason })).toBeTruthy();
});

test("rows of the page before are not held, and none of them can be selected or dismissed", async () => {
  let answer: (v: unknown) => void = () => undefined;
  const later = new Promise((done) => (answer = done));
  const counts = { total: 2, more: false, bySeverity };
  const { router } = open("/t/ten_1/findings", both, counts, {
    [list]: (r: Request) => (r.url.includes("severity=high") ? later.then(() => Response.json({ items: [finding("fnd_3", "A third", "high")], counts })) : { items: both, counts }),
  });
  await screen.findByText("A key");
  await router.navigate({ to: ".", search: { severity: "high" } } as never);
  await waitFor(() => expect(screen.getByLabelText<HTMLInputElement>(texts.selectAll).disabled).toBe(true));
  expect(screen.getByLabelText<HTMLInputElement>(texts.select("A key")).disabled).toBe(true);
  screen.getByText("A key").closest("a")?.focus();
  for (const key of ["x", "e"]) fireEvent.keyDown(document.activeElement ?? document.body, { key });
  expect(screen.getByText(texts.selected(0))).toBeTruthy();
  expect(screen.queryByLabelText(texts.note)).toBeNull();
  answer(undefined);
  expect(await screen.findByText("A third")).toBeTruthy();
  expect(screen.queryByText("A key")).toBeNull();
  expect(screen.getByLabelText<HTMLInputElement>(texts.selectAll).disabled).toBe(false);
});

test("a person who may dismiss nothing sees no selection", async () => {
  open("/t/ten_1/findings", [finding("fnd_1", "A key", "critical", { mayDismiss: false })]);
  await screen.findByText("A key");
  expect(screen.queryByRole("checkbox")).toBeNull();
});

test("a list without a match offers to remove the filters", async () => {
  open("/t/ten_1/findings?state=resolved", []);
  expect((await screen.findByRole("link", { name: texts.clear })).getAttribute("href")).toBe("/t/ten_1/findings");
});

const reopenings = "POST /api/tenants/ten_1/findings/reopenings";
const bodies = (sent: Request[], path: string) => Promise.all(sent.filter((r) => r.method === "POST" && r.url.endsWith(path)).map((r) => r.clone().json() as Promise<object>));

test("a dismissal is undone from its message, without those that were dismissed before", async () => {
  const results = { dismissed: 2, items: [{ findingId: "fnd_1", outcome: "dismissed" }, { findingId: "fnd_2", outcome: "already_dismissed" }] }; // prettier-ignore
  const { sent } = open("/t/ten_1/findings", both, undefined, { "POST /api/tenants/ten_1/findings/dismissals": results, [reopenings]: { reopened: 1, items: [{ findingId: "fnd_1", outcome: "reopened" }] } });
  await screen.findByText("A key");
  fireEvent.click(screen.getByLabelText(texts.selectAll));
  fireEvent.click(screen.getByRole("button", { name: texts.dismiss(2) }));
  fireEvent.click(within(await screen.findByRole("dialog")).getByRole("button", { name: texts.reasons.wrong }));
  expect(await screen.findByText(texts.dismissed(2))).toBeTruthy();
  fireEvent.click(screen.getByRole("button", { name: texts.undo }));
  expect(await screen.findByText(texts.reopened(1))).toBeTruthy();
  expect(await bodies(sent, "/reopenings")).toEqual([{ findingIds: ["fnd_1"] }]);
});

test("dismissals are undone in their list: one, and several that are selected; refusals are named", async () => {
  const over = { state: "dismissed", mayDismiss: false, mayReopen: true };
  const results = { reopened: 1, items: [{ findingId: "fnd_1", outcome: "reopened" }, { findingId: "fnd_2", outcome: "refused", code: "finding_resolved", detail: "The finding is resolved." }] }; // prettier-ignore
  const { sent } = open("/t/ten_1/findings?state=dismissed", [finding("fnd_1", "A key", "critical", over), finding("fnd_2", "A race", "high", over)], undefined, { [reopenings]: results });
  fireEvent.click(await screen.findByRole("button", { name: texts.undoOf("A race") }));
  await waitFor(async () => expect(await bodies(sent, "/reopenings")).toEqual([{ findingIds: ["fnd_2"] }]));
  fireEvent.click(screen.getByLabelText(texts.selectAll));
  fireEvent.click(screen.getByRole("button", { name: texts.undoMany(2) }));
  await waitFor(async () => expect((await bodies(sent, "/reopenings"))[1]).toEqual({ findingIds: ["fnd_1", "fnd_2"] }));
  expect((await screen.findAllByText(`${texts.notReopened(1)} The finding is resolved.`)).length).toBeGreaterThan(0);
});
