import { fireEvent, render, screen } from "@testing-library/react";
import { expect, test } from "vitest";
import { useSteady } from "./useSteady";

interface Row {
  id: string;
  says: string;
}

function Rows({ rows, list }: { rows: Row[]; list: string }) {
  const steady = useSteady(rows, (r) => r.id, list);
  return (
    <ul data-testid="rows" data-held={steady.held} {...steady.watch}>
      {steady.rows.map((r) => (
        <li key={r.id}>
          <button>{r.says}</button>
        </li>
      ))}
    </ul>
  );
}

const row = (id: string, says = id): Row => ({ id, says });

test("rows stay in their places under the pointer and the focus, and their contents change", () => {
  const { rerender } = render(<Rows list="1" rows={[row("a"), row("b")]} />);
  const at = screen.getByTestId("rows");
  const shown = (rows: Row[], list = "1") => {
    rerender(<Rows list={list} rows={rows} />);
    return `${at.textContent} ${at.dataset["held"]}`;
  };
  fireEvent.pointerEnter(at);
  expect(shown([row("c"), row("a", "A")])).toBe("Ab true");
  fireEvent.pointerLeave(at);
  expect(shown([row("c"), row("a", "A")])).toBe("cA false");
  const focused = screen.getByText("A");
  fireEvent.focus(focused);
  focused.focus();
  expect(shown([row("d"), row("c"), row("a", "A")])).toBe("cA true");
  expect(document.activeElement).toBe(focused);
  expect(shown([row("x")], "2")).toBe("x false");
});
