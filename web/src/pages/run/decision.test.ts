import { describe, expect, it } from "vitest";
import { approves, bounds, edited, emptyForm, faults, rejects, reword, toggleDrop } from "./decision";
import { sampleApproval } from "@/test/run";

const waits = sampleApproval();
const [first, second] = waits.findings as [(typeof waits.findings)[0], (typeof waits.findings)[0]];

describe("the form that decides", () => {
  it("sends the digest of the shown review, and only changed parts", () => {
    expect(approves(waits, emptyForm)).toEqual({ digest: "abab" });
    const same = reword(emptyForm, first, {});
    expect(approves(waits, same)).toEqual({ digest: "abab" });
    expect(edited(same, waits.findings)).toEqual([]);
  });

  it("sends the omitted findings, only the changed words, and the note", () => {
    const form = reword({ ...toggleDrop(emptyForm, first.id), note: "The first is known" }, second, { title: "Read line 3" });
    expect(approves(waits, form)).toEqual({ digest: "abab", note: "The first is known", drop: [first.id], edit: [{ findingId: second.id, title: "Read line 3" }] });
    expect(approves(waits, toggleDrop(form, first.id))).not.toHaveProperty("drop");
  });

  it("does not edit omitted findings, nor change a review that cannot be changed or no longer waits", () => {
    const form = toggleDrop(reword(emptyForm, first, { title: "x" }), first.id);
    expect(approves(waits, form)).toEqual({ digest: "abab", drop: [first.id] });
    expect(approves({ ...waits, changeable: false }, form)).toEqual({ digest: "abab" });
    expect(approves(waits, toggleDrop(emptyForm, "fnd_gone"))).toEqual({ digest: "abab" });
  });

  it("rejects without changes", () => {
    expect(rejects(waits, { ...toggleDrop(emptyForm, first.id), note: "no" })).toEqual({ digest: "abab", note: "no" });
    expect(rejects(waits, { ...emptyForm, note: " " })).toEqual({ digest: "abab" });
  });

  it("reports fields that cannot be sent, counted in characters", () => {
    expect(faults(emptyForm, waits.findings)).toEqual([]);
    expect(faults({ ...emptyForm, note: "😀".repeat(bounds.note) }, waits.findings)).toEqual([]);
    expect(faults({ ...emptyForm, note: "x".repeat(bounds.note + 1) }, waits.findings)).toEqual([{ of: "note", field: "note", kind: "long", most: bounds.note }]);
    const form = reword(reword(emptyForm, first, { title: " " }), second, { explanation: "x".repeat(bounds.explanation + 1) });
    expect(faults(form, waits.findings)).toEqual([
      { of: first.id, field: "title", kind: "empty", most: bounds.title },
      { of: second.id, field: "explanation", kind: "long", most: bounds.explanation },
    ]);
    expect(faults(toggleDrop(toggleDrop(form, first.id), second.id), waits.findings)).toEqual([]);
  });
});
