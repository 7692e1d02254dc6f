import { describe, expect, it } from "vitest";
import { byFile, bySeverity, place, split } from "./grouping";
import { finding, sampleApproval, sampleRun } from "@/test/run";

describe("findings by file", () => {
  it("keeps the rank of files and of findings in them, with findings without a file last", () => {
    const list = [finding({ id: "a", path: "" }), finding({ id: "b", path: "z.go" }), finding({ id: "c", path: "a.go" }), finding({ id: "d", path: "z.go" })];
    expect(byFile(list).map((g) => [g.path, g.findings.map((f) => f.id)])).toEqual([["z.go", ["b", "d"]], ["a.go", ["c"]], ["", ["a"]]]);
  });

  it("separates findings that the ranking stored or a person left out", () => {
    const decision = { by: "", name: "", how: "interface" as const, at: "", note: "", drop: ["b"], edit: [] };
    const run = sampleRun({ findings: [finding({ id: "a" }), finding({ id: "b" }), finding({ id: "c", route: "stored" })], approval: sampleApproval({ decision }) });
    const { shown, kept } = split(run);
    expect([shown.map((f) => f.id), kept.map((f) => f.id)]).toEqual([["a"], ["b", "c"]]);
  });

  it("counts severities, the worst first", () => {
    expect(bySeverity([finding({ severity: "low" }), finding({ severity: "critical" }), finding({ severity: "low" })])).toEqual([
      { severity: "critical", count: 1 },
      { severity: "low", count: 2 },
    ]);
  });

  it.each([
    [{ path: "", startLine: 0, endLine: 0 }, ""],
    [{ path: "a.go", startLine: 0, endLine: 0 }, "a.go"],
    [{ path: "a.go", startLine: 3, endLine: 3 }, "a.go:3"],
    [{ path: "a.go", startLine: 3, endLine: 5 }, "a.go:3–5"],
  ])("writes the place %o as %s", (at, want) => expect(place(at)).toBe(want));
});
