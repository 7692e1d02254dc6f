import { describe, expect, it } from "vitest";
import { parts } from "./Prose";

describe("parts", () => {
  it("tells code from words", () => {
    expect(parts("`Find` returns `nil` here")).toEqual([
      { code: true, text: "Find" },
      { code: false, text: " returns " },
      { code: true, text: "nil" },
      { code: false, text: " here" },
    ]);
  });
  it("leaves a single backtick, an empty pair and a pair over lines as they are", () => {
    for (const text of ["a ` b", "``", "a `b\nc` d"]) {
      expect(parts(text)).toEqual([{ code: false, text }]);
    }
  });
  it("has nothing of nothing", () => {
    expect(parts("")).toEqual([]);
  });
});
