import { screen, waitFor } from "@testing-library/react";
import { afterEach, expect, test, vi } from "vitest";
import { stubService } from "@/test/page";
import { show } from "@/test/render";
import { FixFinding } from "./FixFinding";

afterEach(() => vi.unstubAllGlobals());

const at = (permissions: string[]) =>
  stubService({ "GET /api/tenants/ten_1/access": { tenantRole: "member", permissions: ["tenant:view"], repositories: [{ repositoryId: "rep_1", permissions }] } });

test("a person who manages the repository chooses how a fix is delivered", async () => {
  at(["repo:view", "repo:review", "repo:manage"]);
  show(<FixFinding tenantId="ten_1" repositoryId="rep_1" runId="run_1" findingId="fnd_1" />);
  (await screen.findByText("Fix")).click();
  await waitFor(() => expect(screen.getByLabelText("Delivery")).toBeTruthy());
});

test("other people see no button", async () => {
  at(["repo:view", "repo:review"]);
  show(<FixFinding tenantId="ten_1" repositoryId="rep_1" runId="run_1" findingId="fnd_1" />);
  await new Promise((done) => setTimeout(done));
  expect(screen.queryByText("Fix")).toBeNull();
});
