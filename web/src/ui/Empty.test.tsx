import { render } from "@testing-library/react";
import { MantineProvider } from "@mantine/core";
import { expect, test } from "vitest";
import { Empty } from "./Empty";

const page = (list: boolean) => (
  <MantineProvider>
    <main>
      <h1 tabIndex={-1}>Findings</h1>
      {list ? <table /> : <Empty says="No finding matches." action={<button>Clear the filters</button>} />}
    </main>
  </MantineProvider>
);

test("the heading gets the focus of a button that goes with the empty list", () => {
  const { rerender } = render(page(false));
  document.querySelector("button")!.focus();
  rerender(page(true));
  expect(document.activeElement?.textContent).toBe("Findings");
});

test("a focus elsewhere stays", () => {
  const { rerender } = render(page(false));
  rerender(page(true));
  expect(document.activeElement).toBe(document.body);
});
