import { describe, expect, it } from "vitest";
import { pieces } from "./convert";
import { colouring, grammars, languageOf } from "./languages";
import { colour } from "./tokens";

describe("languageOf", () => {
  it.each([
    ["internal/a.go", "go"],
    ["web/src/Page.TSX", "tsx"],
    ["deploy/Dockerfile", "docker"],
    ["a.b/Makefile", "makefile"],
    ["README", ""],
    ["LICENSE.unknown", ""],
    ["x.constructor", ""],
    ["constructor", ""],
    ["a.go/", ""],
  ])("knows %s as %j", (path, language) => expect(languageOf(path)).toBe(language));
});

describe("colour", () => {
  const hunk = (text: string) => ({
    section: "", oldStart: 7, oldLines: 2, newStart: 7, newLines: 2,
    lines: [
      { kind: "context" as const, old: 7, new: 7, text: "func a() {" },
      { kind: "delete" as const, old: 8, new: 0, text: 'return "old"' },
      { kind: "add" as const, old: 0, new: 8, text },
    ],
  }); // prettier-ignore
  const piece = (text: string) => pieces(hunk(text))[0]!;
  const many = (n: number) => ({ ...piece("x"), changes: Array.from({ length: n }, (_, i) => ({ type: "insert" as const, isInsert: true as const, lineNumber: i + 1, content: "y".repeat(1000) })) });

  it("marks what the language has, on both sides at their lines", async () => {
    const tokens = colour(piece('return "new"'), { language: "go", by: await colouring("go") });
    expect(JSON.stringify(tokens?.new[6])).toContain("keyword");
    expect(JSON.stringify(tokens?.old[7])).toContain("string");
    expect(JSON.stringify(tokens?.new[7])).toContain("new");
  });
  it("leaves out lines that no person wrote", async () => {
    expect(colour(piece("x".repeat(1001)), { language: "go", by: await colouring("go") })).toBeNull();
  });
  it("leaves out more than a person reads at once", async () => {
    expect(colour(many(30), { language: "go", by: await colouring("go") })).not.toBeNull();
    expect(colour(many(31), { language: "go", by: await colouring("go") })).toBeNull();
  });
  it("shows the change before the colours are there", () => expect(colour(piece("x"), undefined)).toBeNull());
  it("has every grammar", async () => {
    for (const language of Object.keys(grammars)) expect((await colouring(language)).registered(language)).toBe(true);
  });
});
