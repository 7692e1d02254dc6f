import type { ChangeData, HunkData } from "react-diff-view";
import type { Finding, Hunk } from "../types";
import { visible } from "@/ui/visible";

type Line = Hunk["lines"][number];

/** Most lines of one table. Longer hunks are cut into several tables, so that the browser can skip the layout of invisible ones. */
export const mostLines = 200;

function change(l: Line): ChangeData {
  const content = visible(l.text);
  switch (l.kind) {
    case "add":
      return { type: "insert", isInsert: true, lineNumber: l.new, content };
    case "delete":
      return { type: "delete", isDelete: true, lineNumber: l.old, content };
    case "context":
      return { type: "normal", isNormal: true, oldLineNumber: l.old, newLineNumber: l.new, content };
  }
}

/** Makes of a hunk what the diff view draws, in pieces of at most mostLines lines. */
export function pieces(h: Hunk): HunkData[] {
  const out: HunkData[] = [];
  for (let i = 0; i < h.lines.length; i += mostLines) {
    const part = h.lines.slice(i, i + mostLines);
    const old = part.filter((l) => l.kind !== "add");
    const now = part.filter((l) => l.kind !== "delete");
    out.push({
      content: i === 0 ? `@@ -${h.oldStart},${h.oldLines} +${h.newStart},${h.newLines} @@ ${visible(h.section)}`.trimEnd() : "",
      oldStart: old[0]?.old ?? h.oldStart,
      newStart: now[0]?.new ?? h.newStart,
      oldLines: old.length,
      newLines: now.length,
      changes: part.map(change),
    });
  }
  return out;
}

/** The key by which the diff view knows a line. */
export function keyOf(l: Line): string {
  return l.kind === "add" ? `I${l.new}` : l.kind === "delete" ? `D${l.old}` : `N${l.old}`;
}

/** Findings by the key of the line below which they stand, and those of no line that is shown. */
export interface Placed {
  at: Map<string, Finding[]>;
  elsewhere: Finding[];
}

/**
 * Places the findings of a file below their last line: of the new version for RIGHT, of the old one
 * for LEFT. A finding that cannot be placed is listed in elsewhere.
 */
export function placed(findings: readonly Finding[], hunks: readonly Hunk[]): Placed {
  const right = new Map<number, string>();
  const left = new Map<number, string>();
  for (const h of hunks) {
    for (const l of h.lines) {
      if (l.kind !== "delete") right.set(l.new, keyOf(l));
      if (l.kind !== "add") left.set(l.old, keyOf(l));
    }
  }
  const out: Placed = { at: new Map(), elsewhere: [] };
  for (const f of findings) {
    const line = f.endLine > 0 ? f.endLine : f.startLine;
    const key = line > 0 ? (f.side === "LEFT" ? left : right).get(line) : undefined;
    if (key === undefined) out.elsewhere.push(f);
    else out.at.set(key, [...(out.at.get(key) ?? []), f]);
  }
  return out;
}

/** Lines that stand open at first, over all files of a change. */
export const mostOpen = 1500;

/**
 * The files that are open at first: the one in the address, those with findings, and further ones
 * while the total stays within mostOpen lines.
 */
export function opened(files: readonly { path: string; lines: number }[], withFindings: ReadonlySet<string>, asked: string): Set<string> {
  const out = new Set<string>();
  let lines = 0;
  for (const first of [true, false]) {
    for (const f of files) {
      const wanted = f.path === asked || withFindings.has(f.path);
      if (wanted !== first) continue;
      if (f.path !== asked && lines + f.lines > mostOpen) continue;
      out.add(f.path);
      lines += f.lines;
    }
  }
  return out;
}
