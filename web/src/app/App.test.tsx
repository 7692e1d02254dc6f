import { render, screen, waitFor, within } from "@testing-library/react";
import { afterEach, expect, test, vi } from "vitest";
import { stubService } from "@/test/page";
import { text } from "@/texts";

vi.mock("./Overlays", () => {
  throw new Error("Failed to fetch dynamically imported module");
});

afterEach(() => {
  vi.unstubAllGlobals();
  window.history.pushState({}, "", "/");
});

test("the console still works if its overlays cannot be loaded, and shows the place of a page", async () => {
  vi.spyOn(console, "error").mockImplementation(() => undefined); // React reports an error that a boundary has caught
  window.history.pushState({}, "", "/t/ten_1/repositories/rep_1/policy");
  stubService({
    "GET /api/me/tenants": { items: [{ id: "ten_1", name: "Acme", role: "admin" }] },
    "GET /api/me/closed-tenants": { openings: [], more: false },
    "GET /api/tenants/ten_1/access": { permissions: ["tenant:manage"], repositories: [] },
    "GET /api/tenants/ten_1/repositories/rep_1": { id: "rep_1", owner: "acme", name: "store" },
  });
  const { App } = await import("./App");
  render(<App nonce="" />);
  expect(await screen.findByText(text.trouble.partMissing)).toBeTruthy();
  const line = await screen.findByRole("navigation", { name: text.frame.breadcrumbs });
  await waitFor(() => expect(line.textContent).toBe("Acme/Repositories/store/Policy"));
  expect(within(line).getByText("store").closest("a")?.getAttribute("href")).toBe("/t/ten_1/repositories/rep_1");
  expect(await screen.findByRole("heading", { level: 1 })).toBeTruthy();
});

test("a request is sent, and fails at once, while the browser reports that it is offline", async () => {
  const online = vi.spyOn(navigator, "onLine", "get").mockReturnValue(false);
  const { onlineManager } = await import("@tanstack/react-query");
  onlineManager.setOnline(false);
  const { makeQueryClient } = await import("./App");
  const client = makeQueryClient();
  const refused = () => Promise.reject(new Error("no answer"));
  await expect(client.fetchQuery({ queryKey: ["a"], queryFn: refused })).rejects.toThrow("no answer");
  await expect(client.getMutationCache().build(client, client.defaultMutationOptions({ mutationFn: refused })).execute(undefined)).rejects.toThrow("no answer");
  onlineManager.setOnline(true);
  online.mockRestore();
});
