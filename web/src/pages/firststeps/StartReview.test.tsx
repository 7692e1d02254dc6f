import { fireEvent, screen } from "@testing-library/react";
import { afterEach, expect, test, vi } from "vitest";
import { showPage, stubService } from "@/test/page";
import { firstSteps } from "@/texts/firststeps";
import { StartReview } from "./StartReview";

afterEach(() => vi.unstubAllGlobals());

const repository = "/api/tenants/ten_1/repositories/rep_1";
const pull = { number: 7, title: "Pay out", headSha: "a1", draft: false };
const open = (first: string, items: unknown[]) => {
  const sent = stubService({
    "GET /api/tenants/ten_1/repositories": { items: [{ id: "rep_1", owner: "acme", name: "shop", state: "active" }] },
    [`GET ${repository}/pull-requests`]: { items },
    [`POST ${repository}/pull-requests/refresh`]: { open: items.length, listed: items.length, leftOut: 0 },
    [`POST ${repository}/pull-requests/7/review`]: { id: "run_1", repositoryId: "rep_1" },
  });
  showPage(() => <StartReview tenantId="ten_1" first={first} />, "/first-steps", "/t/ten_1/first-steps");
  return () => sent.filter((r) => r.method === "POST").map((r) => new URL(r.url).pathname);
};

test("the open pull requests of the first repository are listed at once, and none is reviewed without a click", async () => {
  const posts = open("rep_1", [pull]);
  const review = await screen.findByRole("button", { name: firstSteps.start.does(7) });
  expect(posts()).toEqual([`${repository}/pull-requests/refresh`]);
  fireEvent.click(review);
  expect((await screen.findByText(firstSteps.review.watch)).closest("a")?.getAttribute("href")).toBe("/t/ten_1/repositories/rep_1/runs/run_1");
  expect(posts()).toContain(`${repository}/pull-requests/7/review`);
});

test("a repository without open pull requests says so", async () => {
  open("rep_1", []);
  expect(await screen.findByText(firstSteps.start.none)).toBeTruthy();
});

test("without a first repository one is chosen, and the code host is not asked", async () => {
  const posts = open("", [pull]);
  expect(await screen.findByText(firstSteps.start.repository)).toBeTruthy();
  expect(posts()).toEqual([]);
});
