import { screen, within } from "@testing-library/react";
import { afterEach, expect, test, vi } from "vitest";
import { showPage, stubService } from "@/test/page";
import { repository as texts } from "@/texts/repository";
import { PullRequests } from "./PullRequests";

afterEach(() => vi.unstubAllGlobals());

const pull = { number: 7, title: "Pay out twice", author: "ada", state: "open", draft: false, paused: false, baseRef: "main", openFindings: 2 };
const path = "GET /api/tenants/ten_1/repositories/rep_1/pull-requests";

test("the title of a pull request is the only link to its last review", async () => {
  const items = [{ ...pull, lastRun: { id: "run_1", state: "completed", createdAt: "2026-11-23T12:00:00Z" } }, { ...pull, number: 8, title: "Not looked at" }];
  stubService({ [path]: { items } });
  showPage(() => <PullRequests tenantId="ten_1" repositoryId="rep_1" />, "/x", "/t/ten_1/x");
  const list = within(await screen.findByRole("region", { name: texts.pullsCaption }));
  const links = list.getAllByRole("link");
  expect(links.map((l) => l.textContent)).toEqual(["#7 Pay out twice"]);
  expect(links[0]?.getAttribute("href")).toBe("/t/ten_1/repositories/rep_1/runs/run_1");
  expect(list.getByText("Not looked at")).toBeTruthy();
});

test.each(["constructor", "__proto__", "nope", "%7B%7D"])("an unknown state asks for all: %s", async (state) => {
  const sent = stubService({ [path]: { items: [pull] } });
  showPage(() => <PullRequests tenantId="ten_1" repositoryId="rep_1" />, "/x", `/t/ten_1/x?state=${state}`);
  expect(await screen.findByText(pull.title)).toBeTruthy();
  expect(sent.map((r) => new URL(r.url)).filter((u) => u.pathname.endsWith("/pull-requests")).map((u) => u.search)).toEqual([""]);
});

test("a head without a check is named, with the time since when", async () => {
  stubService({ [path]: { items: [{ ...pull, uncheckedSince: "2026-11-23T12:00:00Z" }, { ...pull, number: 8, title: "Checked" }] } });
  showPage(() => <PullRequests tenantId="ten_1" repositoryId="rep_1" />, "/x", "/t/ten_1/x");
  expect(await screen.findByText("Checked")).toBeTruthy();
  expect(screen.getAllByText(texts.unchecked, { exact: false })).toHaveLength(1);
});
