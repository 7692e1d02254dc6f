import { act, fireEvent, screen, waitFor } from "@testing-library/react";
import { expect, test, vi } from "vitest";
import { show } from "@/test/render";
import { Hints } from "./Hints";

const beside = { clientX: 500, clientY: 500, bubbles: true };

function hinted() {
  show(
    <>
      <button data-hint="Ctrl K">Search</button>
      <time dateTime="2026-11-01">Nov 1</time>
      <Hints />
    </>,
  );
  return { button: screen.getByRole("button"), day: document.querySelector("time")! };
}

test("a day has no exact time", async () => {
  const { button, day } = hinted();
  fireEvent.pointerOver(button, beside);
  await screen.findByText("Ctrl K");
  fireEvent.pointerOver(day, beside);
  await waitFor(() => expect(screen.queryByRole("tooltip")).toBeNull());
});

test("a hint stays while the pointer is on it, and leaves with the pointer", async () => {
  const { button } = hinted();
  fireEvent.pointerOver(button, beside);
  const tooltip = await screen.findByRole("tooltip");
  vi.spyOn(tooltip, "getBoundingClientRect").mockReturnValue(new DOMRect(100, 100, 50, 20));
  fireEvent.pointerOver(document.body, { clientX: 120, clientY: 123, bubbles: true });
  await act(async () => Promise.resolve());
  expect(screen.queryByRole("tooltip")).toBe(tooltip);
  fireEvent.pointerMove(document.body, { clientX: 120, clientY: 140, bubbles: true });
  await waitFor(() => expect(screen.queryByRole("tooltip")).toBeNull());
});

test("a hidden hint stays hidden while the pointer moves on its element", async () => {
  const { button } = hinted();
  fireEvent.pointerOver(button, beside);
  await screen.findByRole("tooltip");
  fireEvent.keyDown(button, { key: "Escape" });
  await waitFor(() => expect(screen.queryByRole("tooltip")).toBeNull());
  fireEvent.pointerMove(button, beside);
  await act(async () => Promise.resolve());
  expect(screen.queryByRole("tooltip")).toBeNull();
});
