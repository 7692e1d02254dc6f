import type { Decision, Finding, ReviewText, RunApproval } from "./types";

/** Bounds of a decision, as the interface has them; in characters. */
export const bounds = { note: 2000, title: 200, explanation: 4000 } as const;

/** Other words for one finding. */
export interface Words {
  title: string;
  explanation: string;
}

/** The values of the decision's form. */
export interface DecisionForm {
  note: string;
  /** Ids of findings that are left out. */
  drop: readonly string[];
  /** New words by finding; those that are the same as before change nothing. */
  edit: Readonly<Record<string, Words>>;
}

export const emptyForm: DecisionForm = { note: "", drop: [], edit: {} };

/** Leaves a finding out, or takes it back in. */
export function toggleDrop(form: DecisionForm, id: string): DecisionForm {
  return { ...form, drop: form.drop.includes(id) ? form.drop.filter((d) => d !== id) : [...form.drop, id] };
}

/** Enters other words for a finding. */
export function reword(form: DecisionForm, finding: Finding, words: Partial<Words>): DecisionForm {
  const before = form.edit[finding.id] ?? { title: finding.title, explanation: finding.explanation };
  return { ...form, edit: { ...form.edit, [finding.id]: { ...before, ...words } } };
}

/** Takes the words of a finding back. */
export function takeBack(form: DecisionForm, id: string): DecisionForm {
  return { ...form, edit: Object.fromEntries(Object.entries(form.edit).filter(([of]) => of !== id)) };
}

/** Findings whose words are others than the review has, and that are not left out. */
export function edited(form: DecisionForm, findings: readonly Finding[]): Finding[] {
  return findings.filter((f) => {
    const words = form.edit[f.id];
    return words !== undefined && !form.drop.includes(f.id) && (words.title !== f.title || words.explanation !== f.explanation);
  });
}

/** The request to approve: only the differences from the waiting review. */
export function approves(approval: Pick<RunApproval, "digest" | "findings" | "changeable">, form: DecisionForm): Decision {
  const out: Decision = { digest: approval.digest };
  if (form.note.trim() !== "") out.note = form.note;
  if (!approval.changeable) return out;
  const drop = approval.findings.filter((f) => form.drop.includes(f.id)).map((f) => f.id);
  if (drop.length > 0) out.drop = drop;
  const edit = edited(form, approval.findings).map((f) => {
    const words = form.edit[f.id];
    return {
      findingId: f.id,
      ...(words && words.title !== f.title ? { title: words.title } : {}),
      ...(words && words.explanation !== f.explanation ? { explanation: words.explanation } : {}),
    };
  });
  if (edit.length > 0) out.edit = edit;
  return out;
}

/** The request to reject. Nothing is published, so it has no omissions and no edits. */
export function rejects(approval: Pick<RunApproval, "digest">, form: DecisionForm): Decision {
  return form.note.trim() === "" ? { digest: approval.digest } : { digest: approval.digest, note: form.note };
}

/** A field of the form that cannot be sent. */
export interface Fault {
  /** note, or the id of a finding. */
  of: string;
  field: "note" | keyof Words;
  kind: "empty" | "long";
  most: number;
}

/** The errors of the form before it is sent. Findings that are left out have no errors. */
export function faults(form: DecisionForm, findings: readonly Finding[]): Fault[] {
  const out: Fault[] = [];
  if ([...form.note].length > bounds.note) out.push({ of: "note", field: "note", kind: "long", most: bounds.note });
  for (const f of edited(form, findings)) {
    for (const field of ["title", "explanation"] as const) {
      const text = form.edit[f.id]?.[field] ?? "";
      if (text.trim() === "") out.push({ of: f.id, field, kind: "empty", most: bounds[field] });
      else if ([...text].length > bounds[field]) out.push({ of: f.id, field, kind: "long", most: bounds[field] });
    }
  }
  return out;
}

type Comment = ReviewText["comments"][number];

/** The comments of a review by finding, and those that belong to none of the findings. */
export function commentsOf({ review, findings }: Pick<RunApproval, "review" | "findings">): { of: ReadonlyMap<string, string>; rest: Comment[] } {
  const ids = new Set(findings.map((f) => f.id));
  const mine = review.comments.filter((c) => ids.has(c.findingId));
  return { of: new Map(mine.map((c) => [c.findingId, c.body])), rest: review.comments.filter((c) => !ids.has(c.findingId)) };
}
