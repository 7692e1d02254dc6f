import { screen } from "@testing-library/react";
import { expect, test } from "vitest";
import { show } from "@/test/render";
import { run as texts } from "@/texts/run";
import { HistoryTab } from "./HistoryTab";
import { sampleRun } from "@/test/run";

const transitions = [{ from: "", to: "queued", cause: "made by rerun", at: "2026-11-23T10:00:00Z" }];
const now = Date.parse("2026-11-23T10:00:05Z");
const shown = (askedBy?: { how: "rerun" | "sweep"; name?: string }) => show(<HistoryTab now={now} run={sampleRun({ state: "queued", trigger: "rerun", transitions, ...(askedBy ? { askedBy } : {}) })} />);

test("the history says who asked for a review, and how", () => {
  shown({ how: "rerun", name: "Ada" });
  expect(screen.getByText(/Requested by/).textContent).toBe(`Requested by Ada ${texts.askedHow.rerun}`);
});

test("the history begins with the trigger in words", () => {
  shown({ how: "rerun" });
  expect(screen.getByText("a person requested it again")).toBeTruthy();
  expect(screen.queryByText(/made by/)).toBeNull();
});

test("the history names the way of the request if there is no name", () => {
  shown({ how: "sweep" });
  expect(screen.getByText(/Requested by/).textContent).toContain(texts.askedHow.sweep);
});

test("the history says that the person who asked for an old review is unknown", () => {
  shown();
  expect(screen.getByText(texts.askerUnknown)).toBeDefined();
});
