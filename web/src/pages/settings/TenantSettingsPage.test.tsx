import { fireEvent, screen, waitFor } from "@testing-library/react";
import { notifications } from "@mantine/notifications";
import { afterEach, expect, test, vi } from "vitest";
import { showPage, stubService } from "@/test/page";
import { TenantSettingsPage } from "./TenantSettingsPage";

afterEach(() => {
  notifications.clean();
  vi.unstubAllGlobals();
});

const path = "/api/tenants/ten_1/settings";
const settings = { name: "Acme", timeZone: "UTC", currency: "USD", hostOwnersAreAdmins: true, collaborators: "none", membersWithoutHostRole: "none", authorMayApprove: false, version: 1 };
const access = { tenantId: "ten_1", role: "admin", permissions: ["tenant:manage"], repositories: [], more: false };
const field = "Monthly budget of the settings";

/** Shows the page, with an ETag in each answer about the settings. */
function show(stored: object) {
  const answered = (body: object) => () => new Response(JSON.stringify(body), { headers: { "Content-Type": "application/json", ETag: '"v1"' } });
  const sent = stubService({ [`GET ${path}`]: answered(stored), [`PUT ${path}`]: answered(settings), "GET /api/tenants/ten_1/access": access, "GET /api/tenants/ten_1/identity-providers": { items: [] } });
  showPage(TenantSettingsPage, "/settings", "/t/ten_1/settings");
  return async () => {
    fireEvent.click(screen.getByText("Review the changes"));
    fireEvent.click(await screen.findByText("Save"));
    await waitFor(() => expect(sent.some((r) => r.method === "PUT")).toBe(true));
    return (await sent.find((r) => r.method === "PUT")!.json()) as object;
  };
}

test("the budget is not set here, and the page leads to where it is", async () => {
  show(settings);
  await screen.findByLabelText("Time zone");
  expect(screen.queryByLabelText(field)).toBeNull();
  expect((await screen.findByRole("link", { name: "Budget and limits" })).getAttribute("href")).toBe("/t/ten_1/costs#budget");
});

test("a budget that was set here before stays while other settings change", async () => {
  const save = show({ ...settings, monthlyBudgetMicros: 5_000_000 });
  fireEvent.change(await screen.findByLabelText("Time zone"), { target: { value: "Europe/Berlin" } });
  expect(await save()).toMatchObject({ timeZone: "Europe/Berlin", monthlyBudgetMicros: 5_000_000 });
});

test("a budget that was set here before can be removed, and then goes away", async () => {
  const save = show({ ...settings, monthlyBudgetMicros: 5_000_000 });
  fireEvent.change(await screen.findByLabelText(field), { target: { value: "0" } });
  expect(await save()).not.toHaveProperty("monthlyBudgetMicros");
  await waitFor(() => expect(screen.queryByLabelText(field)).toBeNull());
});
