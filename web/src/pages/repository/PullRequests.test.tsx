import { fireEvent, screen, within } from "@testing-library/react";
import { afterEach, expect, test, vi } from "vitest";
import { showPage, stubService } from "@/test/page";
import { text } from "@/texts";
import { repository as texts } from "@/texts/repository";
import { PullRequests } from "./PullRequests";

afterEach(() => vi.unstubAllGlobals());

const pull = { number: 7, title: "Pay out twice", author: "ada", state: "open", draft: false, paused: false, baseRef: "main", openFindings: 2, openBySeverity: { critical: 0, high: 2, medium: 0, low: 0, info: 0 } };
const refresh = "POST /api/tenants/ten_1/repositories/rep_1/pull-requests/refresh";
const page = () => <PullRequests tenantId="ten_1" repositoryId="rep_1" connected />;
const path = "GET /api/tenants/ten_1/repositories/rep_1/pull-requests";

test("the title of a pull request leads to its page, and its last review to that", async () => {
  const items = [{ ...pull, lastRun: { id: "run_1", state: "completed", createdAt: "2026-11-23T12:00:00Z" } }, { ...pull, number: 8, title: "Not looked at" }];
  stubService({ [path]: { items } });
  showPage(page, "/x", "/t/ten_1/x");
  const list = within(await screen.findByRole("group", { name: texts.pullsCaption }));
  const links = list.getAllByRole("link");
  expect(links.map((l) => l.getAttribute("href")?.replace("/t/ten_1/repositories/rep_1/", ""))).toEqual(["pulls/7", "runs/run_1", "pulls/8"]);
});

test.each(["constructor", "__proto__", "nope", "%7B%7D"])("an unknown state asks for all: %s", async (state) => {
  const sent = stubService({ [path]: { items: [pull] } });
  showPage(page, "/x", `/t/ten_1/x?state=${state}`);
  expect(await screen.findByText(pull.title)).toBeTruthy();
  expect(sent.map((r) => new URL(r.url)).filter((u) => u.pathname.endsWith("/pull-requests")).map((u) => u.search)[0]).toBe("");
});

test("a head without a check is named, with the time since when", async () => {
  stubService({ [path]: { items: [{ ...pull, uncheckedSince: "2026-11-23T12:00:00Z" }, { ...pull, number: 8, title: "Checked" }] } });
  showPage(page, "/x", "/t/ten_1/x");
  expect(await screen.findByText("Checked")).toBeTruthy();
  expect(screen.getAllByText(texts.unchecked, { exact: false })).toHaveLength(1);
});

test("open pull requests of the code host appear, and how many are left out is named", async () => {
  let listed: object[] = [];
  stubService({
    [path]: () => ({ items: listed }),
    [refresh]: () => {
      listed = [pull];
      return { open: 103, listed: 100, leftOut: 3 };
    },
  });
  showPage(page, "/x", "/t/ten_1/x");
  expect(await screen.findByText(pull.title)).toBeTruthy();
  expect(screen.getByText(texts.leftOut(100, 103))).toBeTruthy();
});

test("a code host that fails leaves the known ones, and can be asked again", async () => {
  const sent = stubService({ [path]: { items: [pull] }, [refresh]: () => new Response("{}", { status: 503 }) });
  showPage(page, "/x", "/t/ten_1/x");
  expect(await screen.findByText(texts.hostFailed)).toBeTruthy();
  expect(screen.getByText(pull.title)).toBeTruthy();
  const asked = () => sent.filter((r) => r.url.endsWith("/refresh")).length;
  const before = asked();
  fireEvent.click(screen.getByRole("button", { name: text.trouble.again }));
  await vi.waitFor(() => expect(asked()).toBe(before + 1));
});

test("the page of a disconnected repository does not ask the code host", async () => {
  const sent = stubService({ [path]: { items: [pull] } });
  showPage(() => <PullRequests tenantId="ten_1" repositoryId="rep_1" connected={false} />, "/x", "/t/ten_1/x");
  expect(await screen.findByText(pull.title)).toBeTruthy();
  expect(sent.some((r) => r.url.endsWith("/refresh"))).toBe(false);
});
