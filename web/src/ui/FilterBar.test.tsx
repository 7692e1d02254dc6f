import { fireEvent, screen } from "@testing-library/react";
import { expect, test, vi } from "vitest";
import { show } from "@/test/render";
import { text } from "@/texts";
import { FilterBar } from "./FilterBar";

test("the button counts the chosen filters, and opens and closes them", () => {
  show(
    <FilterBar change={vi.fn()} filters={{ state: "open", author: "", number: undefined, severity: "high", page: 2, sort: "age" }}>
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
  show(<FilterBar change={vi.fn()} filters={{}}>x</FilterBar>);
  expect(screen.getByRole("button", { name: "Filters" })).toBeTruthy();
  expect(screen.queryByRole("button", { name: text.common.clearFilters })).toBeNull();
});

test("one click removes every chosen filter with the page of the list, and keeps its order", () => {
  const change = vi.fn();
  show(
    <FilterBar change={change} filters={{ state: "open", author: "", page: 2, sort: "age" }}>
      x
    </FilterBar>,
  );
  fireEvent.click(screen.getByRole("button", { name: text.common.clearFilters }));
  expect(change.mock.calls).toEqual([[{ state: undefined, page: undefined }]]);
});

test("the button that removes the filters leaves the focus at the filters", () => {
  show(
    <FilterBar change={vi.fn()} filters={{ state: "open" }}>
      x
    </FilterBar>,
  );
  const clear = screen.getByRole("button", { name: text.common.clearFilters });
  clear.focus();
  fireEvent.click(clear);
  expect(document.activeElement).toBe(screen.getByRole("group", { name: "Filters" }));
});
