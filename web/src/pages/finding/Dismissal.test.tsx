import { screen } from "@testing-library/react";
import { expect, test, vi } from "vitest";
import { show } from "@/test/render";
import { Dismissal } from "./Dismissal";

vi.mock("@/api/roles", () => ({ useMayReview: () => true }));

const path = { tenantId: "ten_1", repositoryId: "rep_1", findingId: "fnd_1" };

test("a person who may dismiss a finding sees the button", () => {
  show(<Dismissal path={path} state="open" whyNot="" />);
  expect(screen.getByText("Dismiss")).toBeTruthy();
});

test("a person who may not sees the reason in advance", () => {
  show(<Dismissal path={path} state="open" whyNot="Ask another person with review permission." />);
  expect(screen.getByText("Ask another person with review permission.")).toBeTruthy();
  expect(screen.queryByText("Dismiss")).toBeNull();
});

test("a person with review permission takes a dismissal back", () => {
  show(<Dismissal path={path} state="dismissed" whyNot="Ask another person with review permission." />);
  expect(screen.getByText("Undo the dismissal")).toBeTruthy();
  expect(screen.queryByText("Ask another person with review permission.")).toBeNull();
});
