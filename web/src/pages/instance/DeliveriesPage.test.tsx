import { screen, within } from "@testing-library/react";
import { afterEach, expect, test, vi } from "vitest";
import { showPage, stubService } from "@/test/page";
import { deliveries as texts } from "@/texts/instance";
import { DeliveriesPage } from "./DeliveriesPage";
import { readDeliveries } from "./search";

afterEach(() => vi.unstubAllGlobals());

const delivery = { guid: "g", host: "github", event: "pull_request", reason: "", receivedAt: "2026-11-23T10:00:00Z", sourceId: "app", jobs: [] };

test("reasons are words, and a delivery leads to its review for people of its tenant", async () => {
  const run = { state: "run", runId: "run_1", runRepositoryId: "rep_1" };
  stubService({
    "GET /api/me/tenants": { items: [{ id: "ten_1", name: "Acme" }] },
    "GET /api/instance/deliveries": {
      items: [
        { ...delivery, id: "a", state: "ignored", reason: "unused_action" },
        { ...delivery, id: "b", ...run, tenantId: "ten_1" },
        { ...delivery, id: "c", ...run, tenantId: "ten_2" },
      ],
    },
  });
  showPage(() => <DeliveriesPage />, "/deliveries", "/t/ten_1/deliveries", readDeliveries);
  expect(await screen.findByText(texts.reasons["unused_action"]!)).toBeTruthy();
  const links = await screen.findAllByText(texts.toRun);
  expect(links.map((l) => l.getAttribute("href"))).toEqual(["/t/ten_1/repositories/rep_1/runs/run_1"]);
  expect(within(links[0]!.closest("tr")!).getByText(texts.state.run)).toBeTruthy();
  expect([...document.querySelectorAll(`td[data-label="${texts.reason}"]`)].map((e) => e.innerHTML === "")).toEqual([false, false, true]);
});
