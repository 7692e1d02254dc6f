import { expect, test } from "vitest";
import { currentOf, doneOf, runOf, steps, type Facts, type Step } from "./steps";

const fresh: Facts = { connections: [], repositories: [], address: { code: "D012", name: "public address", status: "warn", message: "no public address is set", solution: "Set it." }, delivered: false, keys: [], test: undefined, list: undefined, answered: undefined, tiers: {}, check: {}, runs: [] };
const tier = { credentialId: "crd_1", model: "m" };
const set: Facts = {
  ...fresh,
  repositories: [{ owner: "acme", name: "shop", state: "active" }],
  delivered: true,
  address: { ...fresh.address!, status: "ok", message: "https://assay.example.com answers" },
  keys: [{ id: "crd_1", name: "ours" }],
  test: { name: "ours", ok: true, note: "" },
  tiers: { fast: tier, standard: tier, strong: tier },
  check: { failOn: "high" },
  runs: [{ state: "completed", reason: "" }],
};
const states = (f: Facts): Record<string, Step["state"]> => Object.fromEntries(steps(f).map((s) => [s.id, s.state]));

test("from nothing to everything", () => {
  expect(doneOf(steps(fresh))).toBe(0);
  expect(steps(fresh).find((s) => s.id === "address")).toMatchObject({ state: "todo", solution: "Set it." });
  expect(doneOf(steps(set))).toBe(steps(set).length);
});

test("the current step is the first that a person can take", () => {
  expect(currentOf(steps(fresh))).toBe("host");
  const silent: Facts = { ...set, delivered: false, address: { ...fresh.address!, status: "ok" } };
  expect(currentOf(steps({ ...set, delivered: false, test: undefined }))).toBe("key");
  expect(currentOf(steps({ ...set, delivered: false, address: { ...fresh.address!, status: "fail" } }))).toBe("address");
  expect(currentOf(steps(silent))).toBe("delivery");
  expect(currentOf(steps({ ...set, check: {} }))).toBe("threshold");
  expect(currentOf(steps(set))).toBeUndefined();
});

test.each([
  ["a key that was not tested", { ...set, test: undefined }, "key", "todo"],
  ["a key whose test failed", { ...set, test: { name: "ours", ok: false, note: "The first check that failed is key." } }, "key", "failed"],
  ["a key that reviews use", { ...set, test: undefined, answered: 3 }, "key", "done"],
  ["a connection that fails", { ...fresh, connections: [{ name: "lab", state: "error" as const, message: "refused" }] }, "host", "failed"],
  ["a connection that works", { ...fresh, connections: [{ name: "lab", state: "active" as const, message: "" }] }, "host", "done"],
  ["two of three tiers", { ...set, tiers: { fast: tier, strong: tier } }, "tiers", "todo"],
  ["no severity is chosen that fails the check", { ...set, check: {} }, "threshold", "todo"],
  ["the choice that none fails it", { ...set, check: { failOn: null } }, "threshold", "done"],
  ["a review under way", { ...set, runs: [{ state: "running" as const, reason: "" }] }, "review", "busy"],
  ["a review that failed", { ...set, runs: [{ state: "failed" as const, reason: "x" }] }, "review", "failed"],
  ["an address that is not reached", { ...fresh, address: { ...fresh.address!, status: "fail" as const } }, "address", "failed"],
  ["an address that Health warns about, although deliveries arrive", { ...set, address: fresh.address }, "address", "todo"],
  ["an address that a member cannot ask about, and deliveries arrive", { ...set, address: undefined }, "address", "done"],
  ["what a member may not ask", { ...set, keys: undefined, test: undefined, connections: undefined, address: undefined, delivered: undefined }, "key", "unknown"],
])("%s", (_, facts, id, state) => expect(states(facts)[id]).toBe(state));

test("the run that is shown is one that went well, or else the newest", () => {
  expect(runOf([{ state: "failed" as const }, { state: "completed" as const }])?.state).toBe("completed");
  expect(runOf([{ state: "running" as const }, { state: "failed" as const }])?.state).toBe("running");
  expect(runOf([])).toBeUndefined();
});
