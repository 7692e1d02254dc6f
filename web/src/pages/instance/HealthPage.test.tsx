import { screen, within } from "@testing-library/react";
import { afterEach, expect, test, vi } from "vitest";
import { stubService } from "@/test/page";
import { show } from "@/test/render";
import { healthChecks } from "@/texts/health";
import { HealthPage } from "./HealthPage";

afterEach(() => vi.unstubAllGlobals());

test("a check has its words and its documentation by its code; a newer one has those of the service", async () => {
  stubService({
    "GET /api/instance/health": {
      ok: false,
      examinedAt: "2026-11-23T10:00:00Z",
      checks: [
        { code: "D012", name: "public address", status: "fail", message: "it cannot be read", solution: "Set it." },
        { code: "D999", name: "something new", status: "warn", message: "http://a.example is odd" },
      ],
    },
  });
  show(<HealthPage />);
  const known = within(await screen.findByRole("article", { name: `D012 ${healthChecks["D012"]!.name}` }));
  expect(known.getByText(healthChecks["D012"]!.looks)).toBeTruthy();
  expect(known.getByText("It cannot be read")).toBeTruthy();
  expect(known.getByRole("link").getAttribute("href")).toMatch(/doctor\.md#d012$/);
  const newer = within(screen.getByRole("article", { name: "D999 something new" }));
  expect(newer.queryByRole("link")).toBeNull();
  expect(newer.getByText("http://a.example is odd")).toBeTruthy();
});
