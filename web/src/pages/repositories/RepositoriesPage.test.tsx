import { fireEvent, screen, waitFor, within } from "@testing-library/react";
import { afterEach, expect, test, vi } from "vitest";
import { showPage, stubService } from "@/test/page";
import { text } from "@/texts";
import { RepositoriesPage } from "./RepositoriesPage";
import { readSearch } from "./route";

afterEach(() => vi.unstubAllGlobals());

const open = (at: string, items: unknown[] = []) => {
  stubService({ "GET /api/tenants/ten_1/repositories": { items }, "GET /api/tenants/ten_1/access": { permissions: [], repositories: [] } });
  return showPage(() => <RepositoriesPage />, "/repositories", at, readSearch).router;
};

const field = () => screen.getByLabelText<HTMLInputElement>(text.repositories.filterName);

test("a filter without matches can be removed, and the field is then empty", async () => {
  const router = open("/t/ten_1/repositories?name=zzz");
  expect(await screen.findByText(text.repositories.empty)).toBeTruthy();
  expect(field().value).toBe("zzz");
  fireEvent.click(screen.getByText(text.repositories.clear));
  expect(await screen.findByText(text.repositories.none)).toBeTruthy();
  expect(field().value).toBe("");
  expect(router.state.location.searchStr).toBe("");
});

test("entries go into the address, and the field follows the address", async () => {
  const router = open("/t/ten_1/repositories");
  await screen.findByText(text.repositories.none);
  fireEvent.change(field(), { target: { value: "pay " } });
  expect(router.state.location.searchStr).toBe("");
  fireEvent.keyDown(field(), { key: "Enter" });
  await waitFor(() => expect(router.state.location.searchStr).toBe("?name=pay"));
  router.history.push("/t/ten_1/repositories?name=shop");
  await waitFor(() => expect(field().value).toBe("shop"));
});

test("the list says whether a repository is reviewed, how its trial stands, its last review and its open findings", async () => {
  const run = { id: "run_1", state: "completed", createdAt: "2026-11-23T10:00:00Z", pullRequest: { number: 7, title: "x", author: "a", state: "open" } };
  const all = { owner: "acme", private: true, state: "active", policy: { enabled: true }, openFindings: 0 };
  open("/t/ten_1/repositories", [
    { ...all, id: "rep_1", name: "store", openFindings: 3, openBySeverity: { critical: 1, high: 0, medium: 2, low: 0, info: 0 }, lastRun: run },
    { ...all, id: "rep_2", name: "new", policy: { enabled: false }, onboarding: "proposed" },
    { ...all, id: "rep_3", name: "old", state: "disconnected", onboarding: "accepted" },
  ]);
  const row = async (name: string) => within((await screen.findByText(`acme/${name}`)).closest("tr")!);
  const store = await row("store");
  expect(store.getByText(text.repositories.on)).toBeTruthy();
  expect(store.getByLabelText(text.repositories.findingsOf(3, "store")).getAttribute("href")).toBe("/t/ten_1/findings?repository=rep_1");
  expect(store.getByText("2 Medium")).toBeTruthy();
  expect(store.getByText(/#7/).closest("a")?.getAttribute("href")).toBe("/t/ten_1/repositories/rep_1/runs/run_1");
  const fresh = await row("new");
  expect(fresh.getByText(text.repositories.off)).toBeTruthy();
  expect(fresh.getByText(text.repositories.trial.proposed).closest("a")?.getAttribute("href")).toBe("/t/ten_1/repositories/rep_2/onboarding");
  const old = await row("old");
  expect(old.getByText(text.repositories.state.disconnected)).toBeTruthy();
});
