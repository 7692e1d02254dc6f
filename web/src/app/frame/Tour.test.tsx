import { useState } from "react";
import { fireEvent, screen } from "@testing-library/react";
import { expect, test } from "vitest";
import { show } from "@/test/render";
import { tour as texts } from "@/texts/tour";
import { Tour } from "./Tour";

const demo = { note: "simulated", links: [], pulls: ["http://127.0.0.1:1/acme/storefront/pull/1", "http://127.0.0.1:1/acme/storefront/pull/2"] };

function Toured({ from = 0 }: { from?: number }) {
  const [step, go] = useState(from);
  return step < 0 ? <p>left</p> : <Tour demo={demo} tenantId="ten_1" step={step} go={go} />;
}

test("each of the eight steps has a link to its page and one sentence", () => {
  show(<Toured />);
  const ids = Object.keys(texts.steps) as (keyof typeof texts.steps)[];
  expect(ids).toHaveLength(8);
  for (const [i, id] of ids.entries()) {
    const step = texts.steps[id];
    expect(screen.getByRole("heading", { name: `Step ${i + 1} of 8: ${step.title}` })).toBeTruthy();
    expect(screen.getByText(step.says)).toBeTruthy();
    const link = screen.getByRole("link", { name: step.does });
    expect(link.getAttribute("href")).toMatch(/^(\/t\/ten_1\/|http:\/\/127\.0\.0\.1:1\/acme\/storefront\/pull\/[12]$)/);
    fireEvent.click(screen.getByRole("button", { name: i === 7 ? texts.finish : texts.next }));
  }
  expect(screen.getByRole("heading", { name: texts.finished })).toBeTruthy();
  fireEvent.click(screen.getByRole("button", { name: texts.again }));
  expect(screen.getByRole("heading", { name: /^Step 1 of 8/ })).toBeTruthy();
});

test("a step can be left, and the new one gets the focus", () => {
  show(<Toured from={3} />);
  fireEvent.click(screen.getByRole("button", { name: texts.back }));
  expect(document.activeElement?.textContent).toMatch(/^Step 3 of 8/);
  fireEvent.click(screen.getByRole("button", { name: texts.leave }));
  expect(screen.getByText("left")).toBeTruthy();
});

test("a step that an older version kept is the end of the tour", () => {
  show(<Toured from={99} />);
  expect(screen.getByRole("heading", { name: texts.finished })).toBeTruthy();
});
