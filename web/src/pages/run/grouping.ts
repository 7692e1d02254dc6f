import type { Finding, Run } from "./types";

/** The findings of one file; the empty path has those that are about no file. */
export interface FileFindings {
  path: string;
  findings: Finding[];
}

/**
 * Groups findings by their file. Files stand in the order of their best finding (the
 * input is in rank order), what is about no file last; inside a file the rank order stays.
 */
export function byFile(findings: readonly Finding[]): FileFindings[] {
  const groups = new Map<string, Finding[]>();
  for (const f of findings) {
    const group = groups.get(f.path);
    if (group) group.push(f);
    else groups.set(f.path, [f]);
  }
  const out = [...groups].map(([path, list]) => ({ path, findings: list }));
  return [...out.filter((g) => g.path !== ""), ...out.filter((g) => g.path === "")];
}

/** The findings of a run: those that the review shows, and those that are stored and not published. */
export interface Split {
  shown: Finding[];
  kept: Finding[];
}

/** Separates the findings that a review shows from those that are only stored: by the ranking, or because the approver left them out. */
export function split(run: Pick<Run, "findings" | "approval">): Split {
  const left = new Set(run.approval?.decision?.drop ?? []);
  const out: Split = { shown: [], kept: [] };
  for (const f of run.findings) (f.route === "stored" || left.has(f.id) ? out.kept : out.shown).push(f);
  return out;
}

/** Severities from the worst, with how many findings have each; those without a finding are left out. */
export function bySeverity(findings: readonly Finding[]): { severity: Finding["severity"]; count: number }[] {
  return severities.map((severity) => ({ severity, count: findings.filter((f) => f.severity === severity).length })).filter((s) => s.count > 0);
}

/** All severities, the worst first. */
export const severities: readonly Finding["severity"][] = ["critical", "high", "medium", "low", "info"];

/** Where a finding is, as people write places: path:3–5; empty where it is about no file. */
export function place(at: { path: string; startLine: number; endLine: number }): string {
  if (at.path === "" || at.startLine === 0) return at.path;
  return at.endLine > at.startLine ? `${at.path}:${at.startLine}–${at.endLine}` : `${at.path}:${at.startLine}`;
}

/** Which models reported a finding: those of the tiers, the panel, or both; "" in reviews without a panel. */
export function finderOf(foundBy: Finding["foundBy"] = []): "" | "tiers" | "panel" | "both" {
  const panel = foundBy.some((f) => f.panel);
  const tiers = foundBy.some((f) => !f.panel);
  if (panel && tiers) return "both";
  return panel ? "panel" : tiers ? "tiers" : "";
}
