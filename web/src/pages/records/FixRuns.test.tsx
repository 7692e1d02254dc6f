import { fireEvent, screen, waitFor } from "@testing-library/react";
import { afterEach, expect, test, vi } from "vitest";
import { showPage, stubService } from "@/test/page";
import { fixRuns as texts } from "@/texts/fixruns";
import { records } from "@/texts/records";
import { FixRuns } from "./FixRuns";

afterEach(() => vi.unstubAllGlobals());

const at = "/api/tenants/ten_1/repositories/rep_1";
const figures = { from: "2026-11-01", to: "2026-11-30", runs: 0, open: 0, proposed: 0, passed: 0, accepted: 0, refused: [] };
const run = { id: "fix_1", runId: "run_1", number: 7, headSha: "a", findingIds: ["fnd_1"], delivery: "commit", state: "completed", reason: "", url: "", proposed: 1, passed: 1, createdAt: "2026-11-25T10:00:00Z" };

const show = (search = "") => showPage(() => <FixRuns tenantId="ten_1" repositoryId="rep_1" />, "/repositories/$repositoryId/records/fix-runs", `/t/ten_1/repositories/rep_1/records/fix-runs${search}`);

test("a fix run that needs no reason has an empty cell, whose name a narrow window hides", async () => {
  stubService({ [`GET ${at}/fix-runs`]: { items: [run] }, [`GET ${at}/analytics/fixes`]: figures });
  show();
  expect(await screen.findByText("1 of 1 finding")).toBeTruthy();
  expect([...document.querySelectorAll("td")].filter((e) => e.innerHTML === "").map((e) => e.getAttribute("data-label"))).toEqual([records.why]);
});

test("the filters stand in the address and reach the service, and an empty answer to them says so", async () => {
  const sent = stubService({ [`GET ${at}/fix-runs`]: { items: [] }, [`GET ${at}/analytics/fixes`]: figures });
  const searches = () => sent.filter((r) => r.url.includes("/fix-runs")).map((r) => new URL(r.url).search);
  show("?state=failed&delivery=nonsense");
  expect(await screen.findByText(texts.noneOfFilter)).toBeTruthy();
  fireEvent.change(screen.getByLabelText(texts.delivery), { target: { value: "commit" } });
  await waitFor(() => expect(searches()).toEqual(["?state=failed", "?state=failed&delivery=commit"]));
  fireEvent.change(screen.getByLabelText(texts.delivery), { target: { value: "" } });
  fireEvent.change(screen.getByLabelText(texts.state), { target: { value: "" } });
  expect(await screen.findByText(records.empty["fix-runs"])).toBeTruthy();
});
