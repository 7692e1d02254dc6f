import { screen } from "@testing-library/react";
import { afterEach, expect, test, vi } from "vitest";
import { showPage, stubService } from "@/test/page";
import { FixRunPage } from "./FixRunPage";

afterEach(() => vi.unstubAllGlobals());

const run = {
  id: "fix_1",
  runId: "run_1",
  number: 7,
  headSha: "a".repeat(40),
  findingIds: ["fnd_1", "fnd_2"],
  delivery: "commit",
  state: "completed",
  reason: "",
  url: "https://host.example/pulls/7",
  commitSha: "b".repeat(40),
  branch: "topic",
  proposed: 2,
  passed: 1,
  createdBy: "usr_1",
  askedBy: "Ann",
  createdAt: "2026-01-01T00:00:00Z",
  findings: [
    {
      findingId: "fnd_1",
      passed: true,
      edits: [{ path: "a.go", start: 3, end: 3, removed: "func broken( {", replacement: "func broken() {}" }],
      checks: [{ name: "syntax", outcome: "passed" }],
    },
    { findingId: "fnd_2", passed: false, reason: "no_code", sentence: "Only comments change.", edits: [], checks: [{ name: "scope", outcome: "failed" }] },
  ],
};

test("a branch is named only if a commit stands on it", async () => {
  stubService({ "GET /api/tenants/ten_1/repositories/rep_1/fix-runs/fix_1": { ...run, commitSha: undefined, branch: "assay/fix-1", findings: [] } });
  showPage(() => <FixRunPage />, "/repositories/$repositoryId/fix-runs/$fixRunId", "/t/ten_1/repositories/rep_1/fix-runs/fix_1");
  expect(await screen.findByText("1 of 2 findings fixed")).toBeTruthy();
  expect(screen.queryByText("assay/fix-1")).toBeNull();
});

test("the page of a fix run has the edits as a diff, the checks, and why a finding has no fix", async () => {
  stubService({ "GET /api/tenants/ten_1/repositories/rep_1/fix-runs/fix_1": run, "GET /api/tenants/ten_1/repositories/rep_1/findings/fnd_1": { title: "The sum is wrong" } });
  showPage(() => <FixRunPage />, "/repositories/$repositoryId/fix-runs/$fixRunId", "/t/ten_1/repositories/rep_1/fix-runs/fix_1");
  expect(await screen.findByText("1 of 2 findings fixed")).toBeTruthy();
  expect(await screen.findByText("The sum is wrong")).toBeTruthy();
  expect(screen.getByRole("link", { name: "#7" }).getAttribute("href")).toBe("/t/ten_1/repositories/rep_1/pulls/7");
  const page = document.body.textContent ?? "";
  for (const part of ["- func broken( {", "+ func broken() {}", "Only comments change.", "Checks passed: syntax", "Checks failed: scope", "The sum is wrong", "bbbbbbb", "Ann"]) expect(page).toContain(part);
});
