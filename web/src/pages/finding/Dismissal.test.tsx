import { screen, waitFor } from "@testing-library/react";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { Dismissing } from "@/pages/findings/Dismissing";
import { stubService } from "@/test/page";
import { show } from "@/test/render";
import { Dismissal } from "./Dismissal";

const path = { tenantId: "ten_1", repositoryId: "rep_1", findingId: "fnd_1" };

beforeEach(() => {
  stubService({ "GET /api/tenants/ten_1/access": { tenantRole: "member", permissions: ["tenant:view"], repositories: [{ repositoryId: "rep_1", permissions: ["repo:view", "repo:review"] }] } });
});

afterEach(() => vi.unstubAllGlobals());

const open = (state: "open" | "dismissed", whyNot: string) =>
  show(
    <Dismissing tenantId="ten_1" repositoryId="rep_1" open={[]}>
      <Dismissal path={path} state={state} whyNot={whyNot} />
    </Dismissing>,
  );

test("a person who may dismiss a finding is asked for the reason", async () => {
  open("open", "");
  (await screen.findByText("Dismiss")).click();
  await waitFor(() => expect(screen.getByRole("button", { name: "Accepted risk" })).toBeTruthy());
});

test("a person who may not sees the reason in advance", async () => {
  open("open", "Ask another person with review permission.");
  expect(await screen.findByText("Ask another person with review permission.")).toBeTruthy();
  expect(screen.queryByText("Dismiss")).toBeNull();
});

test("a person with review permission takes a dismissal back", async () => {
  open("dismissed", "Ask another person with review permission.");
  expect(await screen.findByText("Undo dismissal")).toBeTruthy();
  expect(screen.queryByText("Ask another person with review permission.")).toBeNull();
});
