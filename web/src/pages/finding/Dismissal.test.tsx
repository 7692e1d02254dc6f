import { screen } from "@testing-library/react";
import { expect, test, vi } from "vitest";
import { show } from "@/test/render";
import { Dismissal } from "./Dismissal";

vi.mock("@/api/roles", () => ({ useMayReview: () => true }));

const path = { tenantId: "ten_1", repositoryId: "rep_1", findingId: "fnd_1" };

test("who may dismiss a finding finds the button", () => {
  show(<Dismissal path={path} state="open" whyNot="" />);
  expect(screen.getByText("Nobody has to act on it")).toBeTruthy();
});

test("who may not is told why before", () => {
  show(<Dismissal path={path} state="open" whyNot="Somebody else who may review has to." />);
  expect(screen.getByText("Somebody else who may review has to.")).toBeTruthy();
  expect(screen.queryByText("Nobody has to act on it")).toBeNull();
});

test("a dismissal is taken back by whoever may review", () => {
  show(<Dismissal path={path} state="dismissed" whyNot="Somebody else who may review has to." />);
  expect(screen.getByText("Take the dismissal back")).toBeTruthy();
  expect(screen.queryByText("Somebody else who may review has to.")).toBeNull();
});
