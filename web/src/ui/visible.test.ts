import { describe, expect, it } from "vitest";
import { visible } from "@/ui/visible";

describe("hidden characters", () => {
  it("are named where they stand", () => {
    expect(visible("if (admin\u202e ) {\u2066")).toBe("if (admin[U+202E] ) {[U+2066]");
    expect(visible("a\u200bb\ufeffc\u00add")).toBe("a[U+200B]b[U+FEFF]c[U+00AD]d");
    expect(visible("\u{e0041}\u0000\u001b[31m\u2028\u3164\ue000")).toBe("[U+E0041][U+0000][U+001B][31m[U+2028][U+3164][U+E000]");
  });

  it("are all of Unicode's format characters", () => {
    let seen = 0;
    for (let c = 0; c <= 0x10ffff; c++) {
      const text = c >= 0xd800 && c <= 0xdfff ? "" : String.fromCodePoint(c);
      if (!/^\p{Cf}$/u.test(text)) continue;
      seen++;
      if (visible(`a${text}b`) !== `a[U+${c.toString(16).toUpperCase().padStart(4, "0")}]b`) throw new Error(`U+${c.toString(16)} is not shown`);
    }
    expect(seen).toBeGreaterThan(150);
  });

  it("leave what is seen alone", () => {
    for (const text of ["a\tb", "é ß 漢字 עברית", "👩‍💻 ❤️ 👍🏽", "a\u00a0b", ""]) expect(visible(text)).toBe(text);
  });

  it("are named beside an emoji, too", () => {
    expect(visible("👍\u200dx")).toBe("👍[U+200D]x");
    expect(visible("x\ufe0f")).toBe("x[U+FE0F]");
  });
});
