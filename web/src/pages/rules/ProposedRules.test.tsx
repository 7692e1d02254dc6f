import { fireEvent, screen, waitFor, within } from "@testing-library/react";
import { afterEach, expect, test, vi } from "vitest";
import { showPage, stubService } from "@/test/page";
import { rules } from "@/texts/rules";
import { ProposedRules } from "./ProposedRules";

afterEach(() => vi.unstubAllGlobals());

const texts = rules.proposed;
const at = "/api/tenants/ten_1/repositories/rep_1/rules/proposals";
const one = {
  id: "rpr_1",
  state: "proposed",
  title: "Use the clock",
  instruction: "Read the time from package clock.",
  languages: ["go"],
  number: 7,
  findingId: "fnd_1",
  threadUrl: "https://host.example/pull/7#r1",
  proposedBy: "mona",
  createdAt: "2026-11-25T10:00:00Z",
};

const show = (mayDecide: boolean) => showPage(() => <ProposedRules place={{ tenantId: "ten_1", repositoryId: "rep_1" }} mayDecide={mayDecide} />, "/repositories/$repositoryId/rules", "/t/ten_1/repositories/rep_1/rules");

test("a manager sees the thread of a proposed rule, and accepts it with other words", async () => {
  const sent = stubService({ [`GET ${at}`]: { items: [one] }, [`POST ${at}/rpr_1/decision`]: { ...one, state: "accepted" } });
  show(true);
  expect((await screen.findByText(texts.thread)).closest("a")?.getAttribute("href")).toBe(one.threadUrl);
  fireEvent.click(screen.getByRole("button", { name: texts.decideOn(one.title) }));
  const dialog = within(await screen.findByRole("dialog"));
  fireEvent.change(dialog.getByLabelText(rules.form.instruction), { target: { value: "No time.Now." } });
  fireEvent.click(dialog.getByRole("button", { name: texts.decide }));
  await waitFor(() => expect(sent.some((r) => r.method === "POST")).toBe(true));
  expect(await sent.find((r) => r.method === "POST")!.json()).toEqual({
    decision: "accept",
    rule: { title: "Use the clock", instruction: "No time.Now.", paths: [], languages: ["go"], severity: "medium", enabled: true, mandatory: false },
  });
});

test("a declined rule is sent without its words", async () => {
  const sent = stubService({ [`GET ${at}`]: { items: [one] }, [`POST ${at}/rpr_1/decision`]: { ...one, state: "declined" } });
  show(true);
  fireEvent.click(await screen.findByRole("button", { name: texts.decideOn(one.title) }));
  const dialog = within(await screen.findByRole("dialog"));
  fireEvent.change(dialog.getByLabelText(texts.decision), { target: { value: "decline" } });
  fireEvent.change(dialog.getByLabelText(texts.note), { target: { value: "Only once" } });
  fireEvent.click(dialog.getByRole("button", { name: texts.decide }));
  await waitFor(() => expect(sent.some((r) => r.method === "POST")).toBe(true));
  expect(await sent.find((r) => r.method === "POST")!.json()).toEqual({ decision: "decline", note: "Only once" });
});

test("a person who does not manage the repository sees no button", async () => {
  stubService({ [`GET ${at}`]: { items: [one] } });
  show(false);
  expect(await screen.findByText(one.instruction)).toBeTruthy();
  expect(screen.queryByRole("button")).toBeNull();
});

test("a list that cannot be read says so", async () => {
  stubService({});
  show(true);
  expect(await screen.findByRole("alert")).toBeTruthy();
});
