import { expect, test } from "vitest";
import { show } from "@/test/render";
import { Outside } from "./Outside";

const shown = (says: string) => show(<Outside says={says} />).container.querySelector("bdi");

test("characters that change the order of others are shown by their names, and marked", () => {
  const found = shown("pay \u202etuo\u2066");
  expect(found?.textContent).toBe("pay [U+202E]tuo[U+2066]");
  expect([...(found?.querySelectorAll("mark") ?? [])].map((m) => m.textContent)).toEqual(["[U+202E]", "[U+2066]"]);
});

test.each(["Pay out", "two\nlines", "Платёж", "支払い", "\u05e9\u05dc\u05d5\u05dd", "family \u{1f468}\u200d\u{1f469}\u200d\u{1f467}", "<b>x</b>"])("%s is shown as it is", (says) => {
  const found = shown(says);
  expect(found?.textContent).toBe(says);
  expect(found?.children.length).toBe(0);
});
