import { screen } from "@testing-library/react";
import { expect, test, vi } from "vitest";
import { show } from "@/test/render";
import { Dismissal } from "./Dismissal";

vi.mock("@/api/roles", () => ({ useMayReview: () => true }));

const path = { tenantId: "ten_1", repositoryId: "rep_1", findingId: "fnd_1" };

test("who may dismiss a finding finds the button", () => {
  show(<Dismissal path={path} state="open" whyNot="" />);
  expect(screen.getByText("Dismiss")).toBeTruthy();
});

test("who may not is told why before", () => {
  show(<Dismissal path={path} state="open" whyNot="Ask another person with review permission." />);
  expect(screen.getByText("Ask another person with review permission.")).toBeTruthy();
  expect(screen.queryByText("Dismiss")).toBeNull();
});

test("a dismissal is taken back by whoever may review", () => {
  show(<Dismissal path={path} state="dismissed" whyNot="Ask another person with review permission." />);
  expect(screen.getByText("Undo the dismissal")).toBeTruthy();
  expect(screen.queryByText("Ask another person with review permission.")).toBeNull();
});
