import { screen } from "@testing-library/react";
import { notifications } from "@mantine/notifications";
import { act } from "react";
import { afterEach, expect, test } from "vitest";
import { Problem } from "@/api/problem";
import { show } from "@/test/render";
import { text } from "@/texts";
import { problems } from "@/texts/problems";
import { failed } from "./failed";

afterEach(() => notifications.clean());

test("an error without a place on the page names its request, offers the report, and stays", async () => {
  show(<main />);
  act(() => failed(new Problem({ status: 409, code: "budget_exhausted", detail: "Nothing is left of this month.", requestId: "req_7" })));
  expect(await screen.findByText(problems["budget_exhausted"]!.title)).toBeTruthy();
  expect(screen.getByText("Nothing is left of this month.")).toBeTruthy();
  expect(screen.getByText("req_7")).toBeTruthy();
  expect(screen.getByText(text.trouble.copy)).toBeTruthy();
});

test("other words can replace those of a refusal; an error without a code keeps its words", async () => {
  show(<main />);
  act(() => failed(new Problem({ status: 404, code: "not_found", detail: "There is nothing here." }), "Somebody else did it."));
  expect(await screen.findByText("Somebody else did it.")).toBeTruthy();
  act(() => failed(new Error("the browser forbids it")));
  expect(await screen.findByText("the browser forbids it")).toBeTruthy();
  expect(screen.getByText(text.trouble.heading)).toBeTruthy();
});
