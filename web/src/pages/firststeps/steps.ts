import type { Schemas } from "@/api/queries";
import { findings } from "@/texts/findings";
import { firstSteps as texts } from "@/texts/firststeps";

const severityNames = findings.severities;

export type StepId = "host" | "repository" | "address" | "delivery" | "key" | "tiers" | "threshold" | "review";
export type StepState = "done" | "todo" | "failed" | "busy" | "unknown";

export interface Step {
  id: StepId;
  state: StepState;
  says: string;
  /** The remedy, if the service names one. */
  solution: string;
}

/** The answers of the service. undefined: not asked, because the person may not, or not answered yet. */
export interface Facts {
  connections: readonly Pick<Schemas["ProviderConnection"], "state" | "name" | "message">[] | undefined;
  repositories: readonly Pick<Schemas["Repository"], "owner" | "name" | "state">[] | undefined;
  address: Schemas["HealthCheck"] | undefined;
  /** Whether an event of a code host has started a run. */
  delivered: boolean | undefined;
  keys: readonly Pick<Schemas["LlmCredential"], "id" | "name">[] | undefined;
  /** The newest test of a key as it is now, with the key's name. */
  test: { name: string; ok: boolean; note: string } | undefined;
  /** The provider's list of models for the first key. */
  list: Schemas["LlmModels"] | undefined;
  /** Calls of the last 14 days that models have answered. */
  answered: number | undefined;
  tiers: Schemas["LlmTiersShown"] | undefined;
  /** The tenant's defaults for the check: failOn is absent until a person chooses. */
  check: Schemas["CheckUpdate"] | undefined;
  runs: readonly Pick<Schemas["ReviewRun"], "state" | "reason">[] | undefined;
}

const step = (id: StepId, state: StepState, says: string, solution = ""): Step => ({ id, state, says, solution });

function host(f: Facts): Step {
  const works = f.connections?.filter((c) => c.state === "active") ?? [];
  if (works.length > 0) return step("host", "done", texts.host.done(works.length));
  if (f.repositories?.some((r) => r.state === "active")) return step("host", "done", texts.host.byRepository);
  const broken = f.connections?.find((c) => c.state === "error");
  if (broken) return step("host", "failed", `${broken.name}: ${broken.message}`);
  return step("host", f.repositories ? "todo" : "unknown", texts.host.todo);
}

function repository(f: Facts): Step {
  const active = f.repositories?.filter((r) => r.state === "active") ?? [];
  const first = active[0];
  if (first) return step("repository", "done", texts.repository.done(`${first.owner}/${first.name}`, active.length > 1));
  return step("repository", f.repositories ? "todo" : "unknown", texts.repository.todo);
}

function address(f: Facts): Step {
  const a = f.address;
  if (a?.status === "ok") return step("address", "done", a.message);
  if (a && a.status !== "skip") return step("address", a.status === "fail" ? "failed" : "todo", a.message, a.solution ?? ""); // as Health has it, also after deliveries
  if (f.delivered) return step("address", "done", texts.address.byDelivery);
  if (a) return step("address", "todo", a.message, a.solution ?? "");
  return step("address", "unknown", texts.address.todo);
}

function key(f: Facts): Step {
  const first = f.keys?.[0];
  if (f.keys && !first) return step("key", "todo", texts.key.todo);
  if (f.test?.ok) return step("key", "done", texts.key.tested(f.test.name));
  if (f.test) return step("key", "failed", texts.key.failed(f.test.name, f.test.note));
  if (f.answered) return step("key", "done", texts.key.answered(f.answered));
  if (!first) return step("key", "unknown", texts.key.todo);
  if (f.list?.source === "provider") return step("key", "todo", texts.key.listed(first.name, f.list.items.length));
  if (f.list?.reason) return step("key", "todo", texts.key.refused(first.name, f.list.reason));
  return step("key", "todo", texts.key.stored(first.name));
}

function tiers(f: Facts): Step {
  if (!f.tiers) return step("tiers", "unknown", texts.tiers.todo);
  const models = [f.tiers.fast, f.tiers.standard, f.tiers.strong].flatMap((t) => (t ? [t.model] : []));
  return models.length === 3 ? step("tiers", "done", texts.tiers.done([...new Set(models)].join(", "))) : step("tiers", "todo", texts.tiers.todo);
}

function threshold(f: Facts): Step {
  if (!f.check) return step("threshold", "unknown", texts.threshold.todo);
  const on = f.check.failOn;
  if (on === undefined) return step("threshold", "todo", texts.threshold.todo);
  return step("threshold", "done", on === null ? texts.threshold.none : texts.threshold.done(severityNames[on]));
}

function review(f: Facts): Step {
  if (!f.runs) return step("review", "unknown", texts.review.todo);
  if (f.runs.some((r) => r.state === "completed")) return step("review", "done", texts.review.done);
  if (f.runs.some((r) => r.state === "awaiting_approval")) return step("review", "done", texts.review.waits);
  if (f.runs.some((r) => ["queued", "running", "publishing"].includes(r.state))) return step("review", "busy", texts.review.busy);
  const failed = f.runs.find((r) => r.state === "failed");
  return failed ? step("review", "failed", texts.review.failed, failed.reason) : step("review", "todo", texts.review.todo);
}

/** The steps in the order in which they are taken, each as the service sees it. */
export function steps(f: Facts): Step[] {
  return [
    host(f),
    repository(f),
    address(f),
    f.delivered ? step("delivery", "done", texts.delivery.done) : step("delivery", f.delivered === undefined ? "unknown" : "todo", texts.delivery.todo),
    key(f),
    tiers(f),
    review(f),
    threshold(f),
  ];
}

/** The steps that the first event of the code host completes. */
const provedByEvents: readonly StepId[] = ["address", "delivery"];

/** Returns the next step: the first failed one or the first that a person can take, else one that waits for the code host. Returns undefined if all steps are done or unknown. */
export function currentOf(all: readonly Step[]): StepId | undefined {
  const left = all.filter((s) => s.state !== "done" && s.state !== "unknown");
  return (left.find((s) => s.state === "failed" || !provedByEvents.includes(s.id)) ?? left[0])?.id;
}

export const doneOf = (all: readonly Step[]): number => all.filter((s) => s.state === "done").length;

/** The run that the last step is about: one that has ended well, or else the newest. */
export function runOf<T extends Pick<Schemas["ReviewRun"], "state">>(runs: readonly T[]): T | undefined {
  return runs.find((r) => r.state === "completed") ?? runs.find((r) => r.state === "awaiting_approval") ?? runs[0];
}
