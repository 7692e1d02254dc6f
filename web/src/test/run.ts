import type { Finding, Run, RunApproval } from "@/pages/run/types";

/** A finding for tests: ordinary but for what is given. */
export function finding(over: Partial<Finding> = {}): Finding {
  return {
    id: "fnd_1",
    origin: "model",
    ruleId: "llm/bug",
    category: "bug",
    severity: "high",
    confidence: 0.9,
    title: "A payout can be sent twice",
    explanation: "Nothing remembers that it was sent.",
    trigger: "",
    path: "pay.go",
    side: "RIGHT",
    startLine: 3,
    endLine: 3,
    evidence: [],
    verdict: "confirmed",
    verdictWhy: "",
    route: "inline",
    state: "open",
    known: false,
    scope: "introduced",
    symbol: "",
    quote: "",
    lenses: [],
    ...over,
  };
}

const none = {
  calls: 0,
  openCalls: 0,
  inputTokens: 0,
  cachedInputTokens: 0,
  cacheWriteTokens: 0,
  outputTokens: 0,
  reasoningTokens: 0,
  costMicros: 0,
  unpricedCalls: 0,
  estimatedCalls: 0,
  reservedMicros: 0,
  currency: "USD",
};

/** A run for tests: completed and clean but for what is given. */
export function sampleRun(over: Partial<Run> = {}): Run {
  return {
    id: "run_1",
    repositoryId: "rep_1",
    repository: "acme/payouts",
    mayRerun: true,
    stages: [],
    state: "completed",
    reason: "",
    pullRequest: { number: 7, title: "Pay out twice a day", author: "ada", state: "open" },
    headSha: "0123456789abcdef0123456789abcdef01234567",
    baseSha: "",
    mergeBaseSha: "",
    trigger: "pull_request.opened",
    depth: "full",
    createdAt: "2026-11-23T10:00:00Z",
    tier: "T2",
    tierReason: "",
    modelState: "complete",
    modelNote: "",
    incomplete: "",
    engineVersion: "1",
    promptHash: "",
    thresholds: [],
    notices: [],
    repositoryFile: [],
    checksOff: [],
    coverage: { files: 1, additions: 4, deletions: 1, reviewed: [], skimmed: [], skipped: [] },
    findings: [],
    issues: [],
    transitions: [],
    usage: [],
    usageTotal: none,
    pullRequestCost: { costMicros: 0, reservedMicros: 0, currency: "USD" },
    ...over,
  };
}

/** A review that waits, for tests. */
export function sampleApproval(over: Partial<RunApproval> = {}): RunApproval {
  return {
    id: "out_1",
    runId: "run_1",
    repositoryId: "rep_1",
    repository: "acme/shop",
    state: "pending",
    digest: "abab",
    pullRequest: { number: 7, title: "Pay out twice a day", author: "ada" },
    headSha: "0123456789abcdef0123456789abcdef01234567",
    createdAt: "2026-11-23T10:00:00Z",
    expiresAt: "2026-11-26T10:00:00Z",
    review: { kind: "review", body: "Two findings.", summary: "", comments: [], checkTitle: "2 findings", checkSummary: "", conclusion: "neutral" },
    findings: [finding(), finding({ id: "fnd_2", title: "A line that misleads" })],
    changeable: true,
    mayDecide: true,
    whyNot: "",
    told: "",
    ...over,
  };
}
