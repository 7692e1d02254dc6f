import { render, screen } from "@testing-library/react";
import { MantineProvider } from "@mantine/core";
import { expect, test } from "vitest";
import { ask } from "./confirm";
import { Questions } from "./Questions";

test("a question that is asked before the overlays are loaded appears when they are", async () => {
  const answer = ask({ title: "Leave?", says: "It is lost.", does: "Leave", not: "Stay" });
  render(
    <MantineProvider env="test">
      <Questions />
    </MantineProvider>,
  );
  (await screen.findByText("Leave")).click();
  expect(await answer).toBe(true);
});
