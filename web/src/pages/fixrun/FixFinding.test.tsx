import { screen, waitFor, within } from "@testing-library/react";
import { expect, test } from "vitest";
import { show } from "@/test/render";
import { FixFinding } from "./FixFinding";

test("a person chooses among the deliveries that the policy allows", async () => {
  show(<FixFinding tenantId="ten_1" repositoryId="rep_1" runId="run_1" findingId="fnd_1" deliveries={["suggestions", "branch"]} />);
  (await screen.findByText("Fix")).click();
  const field = await waitFor(() => screen.getByLabelText("Delivery"));
  expect(within(field).getAllByRole("option", { hidden: true }).map((o) => o.getAttribute("value"))).toEqual(["", "suggestions", "branch"]);
});
