import { expect, test } from "vitest";
import { preparePrinting } from "./paper";

test("a page is printed light and unfolded, and is then as it was", () => {
  const root = document.documentElement;
  root.setAttribute("data-mantine-color-scheme", "dark");
  document.body.innerHTML = "<main><details id='a'></details><details id='b' open></details></main>";
  const shown = () => [root.getAttribute("data-mantine-color-scheme"), ...[...document.querySelectorAll("details")].map((d) => d.open)];
  preparePrinting();
  window.dispatchEvent(new Event("beforeprint"));
  window.dispatchEvent(new Event("beforeprint")); // some browsers send it twice
  expect(shown()).toEqual(["light", true, true]);
  window.dispatchEvent(new Event("afterprint"));
  expect(shown()).toEqual(["dark", false, true]);
});
