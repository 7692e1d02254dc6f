import { fireEvent, screen, waitFor } from "@testing-library/react";
import { notifications } from "@mantine/notifications";
import { afterEach, expect, test, vi } from "vitest";
import { dryRun as texts } from "@/texts/dryrun";
import { text } from "@/texts";
import { showPage, stubService } from "@/test/page";
import { DryRunList } from "./DryRunsPage";
import { createBody, nothingEntered, numbersOf } from "./entered";

afterEach(() => {
  vi.unstubAllGlobals();
  notifications.clean();
});

const place = "/api/tenants/ten_1/repositories/rep_1/dry-runs";
const made = { id: "dry_2", label: "", state: "queued", reason: "", createdBy: "u", createdAt: "2026-11-23T10:00:00Z", pullRequests: [17, 21], overrides: {} };
const access = { permissions: [], repositories: [{ repositoryId: "rep_1", permissions: ["repo:manage"] }] };
const list = () => <DryRunList tenantId="ten_1" repositoryId="rep_1" />;

test.each([
  ["17, 21", [17, 21]],
  ["#17 #21\n#17", [17, 21]],
  ["", undefined],
  ["0", undefined],
  ["17, x", undefined],
])("numbers of pull requests in %j", (entered, want) => expect(numbersOf(entered)).toEqual(want));

test("the request has the number of newest pull requests or the listed ones, and the label if there is one", () => {
  expect(createBody(nothingEntered)).toEqual({ last: 10 });
  expect(createBody({ ...nothingEntered, which: "numbers", pullRequests: "3", label: " Now " })).toEqual({ pullRequests: [3], label: "Now" });
});

test("a dry run is begun for pull requests by their numbers, and its page opens", async () => {
  const sent = stubService({ "GET /api/tenants/ten_1/access": access, [`GET ${place}`]: { items: [] }, [`POST ${place}`]: made });
  const { router } = showPage(list, "/dry-runs", "/t/ten_1/dry-runs");
  expect(await screen.findByText(text.dryRuns.empty)).toBeTruthy();
  fireEvent.click(await screen.findByText(texts.begin));
  fireEvent.change(await screen.findByLabelText(texts.which), { target: { value: "numbers" } });
  fireEvent.click(screen.getByRole("button", { name: texts.start }));
  expect(await screen.findByText(texts.notNumbers)).toBeTruthy();
  expect(sent.some((r) => r.method === "POST")).toBe(false);
  fireEvent.change(screen.getByLabelText(/Numbers of pull requests/), { target: { value: "17, 21" } });
  fireEvent.click(screen.getByRole("button", { name: texts.start }));
  await waitFor(() => expect(router.state.location.pathname).toBe("/t/ten_1/repositories/rep_1/dry-runs/dry_2"));
  expect(await sent.find((r) => r.method === "POST")?.json()).toEqual({ pullRequests: [17, 21] });
});

test("a refusal stands at the numbers", async () => {
  const refused = new Response(JSON.stringify({ code: "invalid", detail: "", errors: [{ pointer: "/pullRequests/0", message: "is not known" }] }), { status: 422 });
  stubService({ "GET /api/tenants/ten_1/access": access, [`GET ${place}`]: { items: [made] }, [`POST ${place}`]: () => refused });
  showPage(list, "/dry-runs", "/t/ten_1/dry-runs");
  const link = await screen.findByText(text.dryRuns.unnamed);
  expect(link.closest("a")?.getAttribute("href")).toBe("/t/ten_1/repositories/rep_1/dry-runs/dry_2");
  fireEvent.click(await screen.findByText(texts.begin));
  fireEvent.change(await screen.findByLabelText(texts.which), { target: { value: "numbers" } });
  fireEvent.change(screen.getByLabelText(/Numbers of pull requests/), { target: { value: "17" } });
  fireEvent.click(screen.getByRole("button", { name: texts.start }));
  expect(await screen.findByText("Is not known.")).toBeTruthy();
});

test("the list is read again while one of its dry runs goes on", async () => {
  vi.useFakeTimers({ toFake: ["setInterval", "setTimeout", "clearInterval", "clearTimeout"], shouldAdvanceTime: true, advanceTimeDelta: 500 });
  try {
    const states = ["running", "completed"];
    stubService({ "GET /api/tenants/ten_1/access": access, [`GET ${place}`]: () => ({ items: [{ ...made, state: states.shift() ?? "completed" }] }) });
    showPage(list, "/dry-runs", "/t/ten_1/dry-runs");
    await waitFor(() => expect(screen.getByText("completed")).toBeTruthy());
  } finally {
    vi.useRealTimers();
  }
});
