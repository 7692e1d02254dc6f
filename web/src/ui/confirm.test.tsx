import { render, screen, waitFor } from "@testing-library/react";
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
  const leave = await screen.findByText("Leave");
  await waitFor(() => expect(document.activeElement?.textContent).toBe("Stay"));
  leave.click();
  expect(await answer).toBe(true);
});
