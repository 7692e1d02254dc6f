import { spotlight } from "@mantine/spotlight";
import { act, fireEvent, screen, waitFor } from "@testing-library/react";
import { afterEach, expect, test, vi } from "vitest";
import { showPage, stubService, type Answers } from "@/test/page";
import { text } from "@/texts";
import { Palette } from "./Palette";

afterEach(() => {
  act(() => spotlight.close());
  vi.unstubAllGlobals();
});

const viewer = { tenantId: "ten_1", access: { permissions: ["tenant:manage"], repositories: [], more: false } as never, instanceAdmin: false };
const repository = { id: "rep_1", owner: "octo", name: "shop" };
const found = { pullRequests: [{ number: 7, title: "Retry \u202eeerht", author: "ada", state: "open", repository }], findings: [{ id: "fnd_1", title: "The retry pays twice", repository, pullRequest: { number: 7 } }], moreFindings: false };

async function find(typed: string, answers: Answers) {
  const sent = stubService(answers);
  const shown = showPage(() => <Palette viewer={viewer} tenants={[]} />, "/x", "/t/ten_1/x");
  await waitFor(() => {
    act(() => spotlight.open());
    expect(screen.getByRole("textbox", { name: text.frame.search })).toBeTruthy();
  });
  fireEvent.change(screen.getByRole("textbox", { name: text.frame.search }), { target: { value: typed } });
  return { sent, ...shown };
}

test("pull requests and findings are found by their titles, and lead to their pages", async () => {
  const { router } = await find("retry", { "GET /api/tenants/ten_1/search": found, "GET /api/tenants/ten_1/repositories": { items: [] } });
  expect(await screen.findByText("The retry pays twice")).toBeTruthy();
  fireEvent.click(screen.getByText("#7 Retry [U+202E]eerht"));
  await waitFor(() => expect(router.state.location.pathname).toBe("/t/ten_1/repositories/rep_1/pulls/7"));
});

test.each([["budget", text.frame.costs], ["webhook", text.frame.connections], ["slack", text.frame.channels], ["token", text.frame.mcp], ["prices", text.frame.modelKeys]])("%s finds %s", async (typed, page) => {
  await find(typed, {});
  expect(await screen.findByText(page)).toBeTruthy();
  expect(screen.queryByText(text.frame.findings)).toBeNull();
}); // prettier-ignore

test("one letter asks nothing, one digit does", async () => {
  const { sent } = await find("r", { "GET /api/tenants/ten_1/search": found });
  fireEvent.change(screen.getByRole("textbox", { name: text.frame.search }), { target: { value: "7" } });
  expect(await screen.findByText("The retry pays twice")).toBeTruthy();
  expect(sent.filter((r) => r.url.includes("/search")).map((r) => new URL(r.url).search)).toEqual(["?text=7"]);
});

test("a search that fails says so", async () => {
  await find("zebra", { "GET /api/tenants/ten_1/search": () => new Response("{}", { status: 500 }) });
  expect(await screen.findByText(text.frame.searchFailed)).toBeTruthy();
});

test("what is nowhere finds nothing", async () => {
  await find("zebra", { "GET /api/tenants/ten_1/search": { pullRequests: [], findings: [], moreFindings: false }, "GET /api/tenants/ten_1/repositories": { items: [] } });
  expect(await screen.findByText(text.frame.nothingFound)).toBeTruthy();
});
