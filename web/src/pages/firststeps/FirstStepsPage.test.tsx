import { fireEvent, screen, waitFor, within } from "@testing-library/react";
import { afterEach, expect, test, vi } from "vitest";
import { firstSteps as texts } from "@/texts/firststeps";
import { FirstStepsPage } from "./FirstStepsPage";
import type { Step, StepId } from "./steps";
import type { Steps } from "./useSteps";
import { showPage, stubService } from "@/test/page";

let found: Steps;
vi.mock("./useSteps", () => ({ useSteps: () => found }));
afterEach(() => vi.unstubAllGlobals());

const ids: readonly StepId[] = ["host", "repository", "address", "delivery", "key", "tiers", "review", "threshold"];
const step = (id: StepId, done: boolean): Step => ({ id, state: done ? "done" : "todo", says: `About ${id}.`, solution: "" });
const again = vi.fn();
const see = (todo: readonly StepId[]) => {
  found = { steps: ids.map((id) => step(id, !todo.includes(id))), ready: true, admin: true, runs: [], keys: [], repository: "", error: null, again, test: undefined };
};
const open = () => {
  stubService({ "GET /api/tenants/ten_1/repositories": { items: [] } });
  showPage(() => <FirstStepsPage />, "/first-steps", "/t/ten_1/first-steps");
};
const nameOf = (e: Element) => within(e as HTMLElement).getByRole("heading", { level: 2, hidden: true }).textContent;
const listed = (inFold: boolean) => [...document.querySelectorAll("main ol > li, ol > li")].filter((li) => (li.parentElement?.closest("details") !== null) === inFold).map(nameOf);

test("open steps stand first, and done ones are folded into one line", async () => {
  see(["threshold"]);
  open();
  expect((await screen.findByText(texts.past(7))).closest("details")?.open).toBe(false);
  expect(listed(false)).toEqual([texts.steps.threshold]);
  expect(listed(true)).toHaveLength(7);
  expect(screen.getByText("About threshold.")).toBeTruthy();
});

test("a step in which a person works stays unfolded in its place when it is done", async () => {
  see(["threshold", "tiers"]);
  open();
  const action = await screen.findByRole("link", { name: texts.tiers.does });
  fireEvent.focus(action);
  see(["threshold"]);
  fireEvent.click(screen.getByRole("button", { name: texts.again }));
  fireEvent.click(screen.getByRole("button", { name: texts.away })); // the page is drawn with the new answers
  await waitFor(() => expect(listed(false)).toEqual([texts.steps.tiers, texts.steps.threshold]));
});
