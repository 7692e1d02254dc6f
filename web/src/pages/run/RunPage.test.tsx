import { screen } from "@testing-library/react";
import { afterEach, expect, test, vi } from "vitest";
import { showPage, stubService } from "@/test/page";
import { finding, sampleRun } from "@/test/run";
import { run as texts } from "@/texts/run";
import { RunPage } from "./RunPage";

afterEach(() => vi.unstubAllGlobals());

test.each(["tab=changes", "tab=nope", "tab=constructor", "tab=__proto__", "tab=toString", "tab=", "tab=3", "tab=%7B%22a%22%3A1%7D", "tab=%5B%22diff%22%5D", "file=%7B%7D", "utm=mail"])("an address with ?%s shows the first tab", async (search) => {
  stubService({ "GET /api/tenants/ten_1/repositories/rep_1/review-runs/run_1": sampleRun({ findings: [finding()] }) });
  showPage(RunPage, "/repositories/$repositoryId/runs/$runId", `/t/ten_1/repositories/rep_1/runs/run_1?${search}`);
  expect(await screen.findByText("A payout can be sent twice")).toBeTruthy();
  expect(screen.getByText(texts.tabs.findings).getAttribute("aria-current")).toBe("page");
});
