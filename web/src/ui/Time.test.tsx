import { screen } from "@testing-library/react";
import { expect, test } from "vitest";
import { show } from "@/test/render";
import { exactTime } from "./format";
import { Time } from "./Time";

const at = "2026-11-23T10:00:00Z";

test("the exact time is shown when the keyboard reaches the words", async () => {
  show(<Time at={at} />);
  const time = document.querySelector("time")!;
  expect(time.tabIndex).toBe(0);
  time.focus();
  expect((await screen.findByRole("tooltip")).textContent).toBe(exactTime(at));
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
