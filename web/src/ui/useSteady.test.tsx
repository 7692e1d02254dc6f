import { fireEvent, render, screen, waitFor } from "@testing-library/react";
import { afterEach, expect, test, vi } from "vitest";
import { useSteady } from "./useSteady";

interface Row {
  id: string;
  says: string;
}

function Rows({ rows, list, off = "" }: { rows: Row[]; list: string; off?: string }) {
  const steady = useSteady(rows, (r) => r.id, list, rows.length);
  return (
    <table data-testid="rows" data-held={steady.held} data-counts={steady.counts}>
      {off !== "all" && (
        <tbody data-testid="body" {...steady.watch}>
          {steady.rows.map((r) => (
            <tr key={r.id}>
              <td>
                <button disabled={off === r.id}>{r.says}</button>
              </td>
            </tr>
          ))}
        </tbody>
      )}
    </table>
  );
}

const row = (id: string, says = id): Row => ({ id, says });

function open() {
  const view = render(<Rows list="1" rows={[row("a"), row("b")]} />);
  const at = screen.getByTestId("rows");
  const shown = (rows: Row[], list = "1", off = "") => {
    view.rerender(<Rows list={list} rows={rows} off={off} />);
    return `${at.textContent} ${at.dataset["held"]}`;
  };
  return { at, shown };
}

/** Puts the pointer on the body of the table, or takes it away, without an event. */
function point(on: boolean) {
  const body = screen.getByTestId("body");
  vi.spyOn(body, "matches").mockImplementation((s) => s === ":hover" && on);
}

afterEach(() => vi.restoreAllMocks());

test("the counts of held rows are those of the rows", () => {
  const { at, shown } = open();
  shown([row("a"), row("b", "new words")]);
  point(true);
  shown([row("a"), row("b"), row("c")]);
  expect([at.dataset["held"], at.dataset["counts"]]).toEqual(["true", "2"]);
  point(false);
  fireEvent.pointerLeave(screen.getByTestId("body"));
  expect([at.dataset["held"], at.dataset["counts"]]).toEqual(["false", "3"]);
});

test("rows stay in their places under the pointer and the focus, and their contents change", () => {
  const { shown, at } = open();
  point(true);
  expect(shown([row("c"), row("a", "A")])).toBe("Ab true");
  point(false);
  fireEvent.pointerLeave(screen.getByTestId("body"));
  expect(`${at.textContent} ${at.dataset["held"]}`).toBe("cA false");
  const focused = screen.getByText("A");
  focused.focus();
  expect(shown([row("d"), row("c"), row("a", "A")])).toBe("cA true");
  expect(document.activeElement).toBe(focused);
  expect(shown([row("x")], "2")).toBe("x false");
});

test("a change finds the pointer where it is, without an event", () => {
  const { shown } = open();
  point(true);
  expect(shown([row("c")])).toBe("ab true");
  point(false);
  expect(shown([row("c"), row("d")])).toBe("cd false");
});

test("rows are no longer held when the focused element is disabled or removed, or all rows are taken away", async () => {
  const { shown, at } = open();
  screen.getByText("a").focus();
  expect(shown([row("c")])).toBe("ab true");
  expect(shown([row("c")], "1", "a")).toBe("c false");
  screen.getByText("c").focus();
  expect(shown([row("d")])).toBe("c true");
  screen.getByText("c").remove();
  await waitFor(() => expect(at.dataset["held"]).toBe("false"));
  expect(shown([row("e")])).toBe("e false");
  screen.getByText("e").focus();
  expect(shown([row("f")])).toBe("e true");
  expect(shown([row("f")], "1", "all")).toBe(" false");
  expect(shown([row("f")])).toBe("f false");
});
