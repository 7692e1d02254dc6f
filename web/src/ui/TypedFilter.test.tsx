import { useState } from "react";
import { fireEvent, screen } from "@testing-library/react";
import { expect, test, vi } from "vitest";
import { show } from "@/test/render";
import { text } from "@/texts";
import { TypedFilter } from "./TypedFilter";

type Kind = "date" | "datetime-local" | "number";

function open(kind?: Kind) {
  const apply = vi.fn();
  let follow: (value: string) => void = () => undefined;
  function Place() {
    const [value, set] = useState("");
    follow = set;
    return (
      <TypedFilter
        label="File"
        value={value}
        apply={(v) => {
          apply(v);
          set(v);
        }}
        {...(kind ? { kind } : {})}
      />
    );
  }
  show(<Place />);
  const field = screen.getByLabelText<HTMLInputElement>("File");
  return { apply, field, follow: (v: string) => follow(v), type: (value: string) => fireEvent.change(field, { target: { value } }) };
}

test("text takes effect with Enter, once, and the focus stays", () => {
  const { apply, field, type } = open();
  field.focus();
  type(" a.go ");
  expect(apply).not.toHaveBeenCalled();
  expect(screen.getByText(text.common.enterSign)).toBeTruthy();
  fireEvent.keyDown(field, { key: "Enter" });
  expect(document.activeElement).toBe(field);
  fireEvent.blur(field);
  expect(apply.mock.calls).toEqual([["a.go"]]);
  expect(screen.queryByText(text.common.enterSign)).toBeNull();
});

test("text takes effect when the field loses the focus", () => {
  const { apply, field, type } = open();
  type("a.go");
  fireEvent.blur(field);
  expect(apply.mock.calls).toEqual([["a.go"]]);
});

test("the Enter that ends a composed character has no effect", () => {
  const { apply, field, type } = open();
  type("あ");
  fireEvent.keyDown(field, { key: "Enter", isComposing: true });
  expect(apply).not.toHaveBeenCalled();
});

test("a value in effect is cleared by its button, and the field has the focus", () => {
  const { apply, field, type } = open();
  expect(screen.queryByRole("button")).toBeNull();
  type("a.go");
  fireEvent.keyDown(field, { key: "Enter" });
  fireEvent.click(screen.getByRole("button", { name: text.common.clearOf("File") }));
  expect(apply).toHaveBeenLastCalledWith("");
  expect(field.value).toBe("");
  expect(document.activeElement).toBe(field);
});

test("the field follows a value that comes from elsewhere", async () => {
  const { follow } = open();
  follow("b.go");
  expect(await screen.findByDisplayValue("b.go")).toBeTruthy();
});

test.each(["1a2", "0", "-3", "1.5", "2147483648", "twelve"])("%s is not a number: the text stays, and the field says what would be right", (words) => {
  const { apply, field, type } = open("number");
  type(words);
  expect(screen.queryByText(text.common.wrongNumber)).toBeNull();
  fireEvent.keyDown(field, { key: "Enter" });
  expect(field.value).toBe(words);
  expect(field.getAttribute("aria-invalid")).toBe("true");
  expect(screen.getByText(text.common.wrongNumber)).toBeTruthy();
  expect(apply).not.toHaveBeenCalled();
  type("12");
  expect(screen.queryByText(text.common.wrongNumber)).toBeNull();
});

test.each(["12", "#12", " # 12 ", "012"])("%s is the number 12", (words) => {
  const { apply, field, type } = open("number");
  type(words);
  fireEvent.blur(field);
  expect(apply.mock.calls).toEqual([["12"]]);
  expect(field.value).toBe("12");
});

test("a date takes effect as soon as its year is complete", () => {
  const { apply, type } = open("date");
  for (const year of ["0002", "0020", "0202"]) type(`${year}-11-30`);
  expect(apply).not.toHaveBeenCalled();
  type("2026-11-30");
  expect(apply.mock.calls).toEqual([["2026-11-30"]]);
});
