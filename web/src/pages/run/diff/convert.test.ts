import { describe, expect, it } from "vitest";
import { finding } from "@/test/run";
import type { Hunk } from "../types";
import { mostLines, mostOpen, opened, pieces, placed } from "./convert";

const hunk: Hunk = {
  oldStart: 10,
  oldLines: 2,
  newStart: 10,
  newLines: 2,
  section: "func pay()",
  lines: [
    { kind: "context", old: 10, new: 10, text: "a" },
    { kind: "delete", old: 11, new: 0, text: "b" },
    { kind: "add", old: 0, new: 11, text: "<b>c</b>" },
  ],
};

describe("a diff", () => {
  it("shows hidden characters in lines and in the name of the section", () => {
    const hiding: Hunk = { ...hunk, section: "a\u202eb", lines: hunk.lines.map((l) => ({ ...l, text: `x\u2066${l.text}` })) };
    const [piece] = pieces(hiding);
    expect(piece?.content).toContain("a[U+202E]b");
    expect(piece?.changes.map((c) => c.content)).toEqual(["x[U+2066]a", "x[U+2066]b", "x[U+2066]<b>c</b>"]);
  });

  it("becomes what the view draws, text untouched", () => {
    expect(pieces(hunk)).toEqual([
      {
        content: "@@ -10,2 +10,2 @@ func pay()",
        oldStart: 10,
        newStart: 10,
        oldLines: 2,
        newLines: 2,
        changes: [
          { type: "normal", isNormal: true, oldLineNumber: 10, newLineNumber: 10, content: "a" },
          { type: "delete", isDelete: true, lineNumber: 11, content: "b" },
          { type: "insert", isInsert: true, lineNumber: 11, content: "<b>c</b>" },
        ],
      },
    ]);
  });

  it("is cut into tables that a browser can leave out", () => {
    const lines = Array.from({ length: 3 * mostLines + 1 }, (_, i) => ({ kind: "add" as const, old: 0, new: i + 1, text: "x" }));
    const list = pieces({ ...hunk, oldStart: 0, newStart: 1, lines });
    expect(list.map((p) => [p.changes.length, p.newStart, p.content !== ""])).toEqual([
      [mostLines, 1, true],
      [mostLines, mostLines + 1, false],
      [mostLines, 2 * mostLines + 1, false],
      [1, 3 * mostLines + 1, false],
    ]);
  });

  it("has findings below the last of their lines on their side, and loses none", () => {
    const on = finding({ id: "on", startLine: 10, endLine: 11 });
    const old = finding({ id: "old", side: "LEFT", startLine: 11, endLine: 11 });
    const far = finding({ id: "far", startLine: 99, endLine: 99 });
    const none = finding({ id: "none", startLine: 0, endLine: 0 });
    const { at, elsewhere } = placed([on, old, far, none], [hunk]);
    expect([...at].map(([k, list]) => [k, list.map((f) => f.id)])).toEqual([["I11", ["on"]], ["D11", ["old"]]]);
    expect(elsewhere.map((f) => f.id)).toEqual(["far", "none"]);
  });

  it("stands open where findings are, and as far as there is room", () => {
    const files = [{ path: "long", lines: mostOpen }, { path: "small", lines: 10 }, { path: "found", lines: 20 }];
    expect([...opened(files, new Set(["found"]), "")]).toEqual(["found", "small"]);
    expect([...opened(files, new Set(["found"]), "long")]).toEqual(["long"]);
  });
});
