import { act, fireEvent, screen, waitFor } from "@testing-library/react";
import { expect, test } from "vitest";
import { show } from "@/test/render";
import { exactTime } from "./format";
import { Hints } from "./Hints";
import { Time } from "./Time";

const at = "2026-11-23T10:00:00Z";

test("the exact time is shown when the keyboard reaches the words", async () => {
  show(
    <>
      <Time at={at} />
      <Hints />
    </>,
  );
  const time = document.querySelector("time")!;
  expect(time.tabIndex).toBe(0);
  act(() => time.focus());
  expect((await screen.findByRole("tooltip")).textContent).toBe(exactTime(at));
  expect(document.getElementById(time.getAttribute("aria-describedby")!)!.textContent).toBe(exactTime(at));
  fireEvent.keyDown(time, { key: "Escape" });
  await waitFor(() => expect(screen.queryByRole("tooltip")).toBeNull());
});

test("inside a link, the exact time is part of the link's text", () => {
  show(
    <a href="/x">
      <Time at={at} inside />
    </a>,
  );
  expect(document.querySelector("time")!.hasAttribute("tabindex")).toBe(false);
  expect(screen.getByRole("link").textContent).toContain(exactTime(at));
});
