import { useQueryClient } from "@tanstack/react-query";
import { fireEvent, screen } from "@testing-library/react";
import { expect, test } from "vitest";
import type { Answer } from "@/api/client";
import { Problem } from "@/api/problem";
import { show } from "@/test/render";
import { Empty } from "./Empty";
import { ListTable } from "./ListTable";
import { useListing, type Part } from "./useListing";

type Row = { id: string };
type Read = (cursor: string | undefined) => Promise<Answer<Part<Row>>>;

function List({ read }: { read: Read }) {
  const listing = useListing<Row>(["rows"], read);
  return <ListTable caption="Rows" columns={[{ key: "id", heading: "Id", cell: (r) => r.id }]} listing={listing} rowKey={(r) => r.id} empty={<Empty says="Nothing here." />} />;
}

const part = (ids: string[], nextCursor?: string, filled = true): Promise<Answer<Part<Row>>> => Promise.resolve({ data: { items: ids.map((id) => ({ id })), nextCursor }, etag: "", filled });

test("the next part is read by the cursor of the one before", async () => {
  const asked: (string | undefined)[] = [];
  show(
    <List
      read={(cursor) => {
        asked.push(cursor);
        return cursor ? part(["b"]) : part(["a"], "next");
      }}
    />,
  );
  fireEvent.click(await screen.findByText("Show more"));
  expect(await screen.findByText("b")).toBeTruthy();
  expect(screen.getByText("a")).toBeTruthy();
  expect(asked).toEqual([undefined, "next"]);
  expect(screen.queryByText("Show more")).toBeNull();
});

test("an empty list differs from one that no feature fills", async () => {
  const first = show(<List read={() => part([])} />);
  expect(await screen.findByText("Nothing here.")).toBeTruthy();
  first.unmount();
  show(<List read={() => part([], undefined, false)} />);
  expect(await screen.findByText(/Nothing fills this yet/)).toBeTruthy();
});

test("a list that cannot be read says why, and is read again on demand", async () => {
  let times = 0;
  show(<List read={() => (times++ === 0 ? Promise.reject(new Problem({ status: 503, code: "x", detail: "Later.", requestId: "req-3" })) : part(["a"]))} />);
  expect((await screen.findByRole("alert")).textContent).toContain("req-3");
  fireEvent.click(screen.getByText("Try again"));
  expect(await screen.findByText("a")).toBeTruthy();
});

test("the last row stays below the focus until the person asks for the change", async () => {
  let ids = ["a"];
  function Live() {
    const client = useQueryClient();
    const listing = useListing<Row>(["rows"], () => part(ids));
    const column = { key: "id", heading: "Id", cell: (r: Row) => <button>{r.id}</button> };
    return (
      <>
        <button onClick={() => void client.invalidateQueries()}>read</button>
        <ListTable steady caption="Rows" columns={[column]} listing={listing} rowKey={(r) => r.id} empty={<Empty says="Nothing here." />} />
      </>
    );
  }
  show(<Live />);
  (await screen.findByText("a")).focus();
  ids = [];
  fireEvent.click(screen.getByText("read"));
  const now = await screen.findByText("Show now");
  now.closest("button")?.focus(); // as Tab does: the note stays
  fireEvent.click(screen.getByText("Show now"));
  expect(await screen.findByText("Nothing here.")).toBeTruthy();
  expect(screen.queryByText("a")).toBeNull();
});
