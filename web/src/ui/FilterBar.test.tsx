import { fireEvent, screen } from "@testing-library/react";
import { expect, test } from "vitest";
import { show } from "@/test/render";
import { FilterBar } from "./FilterBar";

test("the button counts the chosen filters, and opens and closes them", () => {
  show(
    <FilterBar filters={{ state: "open", author: "", number: undefined, severity: "high", page: 2, sort: "age" }}>
      <input aria-label="state" />
    </FilterBar>,
  );
  const button = screen.getByRole("button", { name: "Filters (2)" });
  const held = document.getElementById(button.getAttribute("aria-controls") ?? "");
  const state = () => [button.getAttribute("aria-expanded"), held?.dataset["open"]];
  expect(held?.contains(screen.getByLabelText("state"))).toBe(true);
  expect(state()).toEqual(["false", undefined]);
  fireEvent.click(button);
  expect(state()).toEqual(["true", "true"]);
  fireEvent.click(button);
  expect(state()).toEqual(["false", undefined]);
});

test("without a filter the button has no number", () => {
  show(<FilterBar filters={{}}>x</FilterBar>);
  expect(screen.getByRole("button", { name: "Filters" })).toBeTruthy();
});
