import { MantineProvider } from "@mantine/core";
import { QueryClient, QueryClientProvider, useMutation, useQuery } from "@tanstack/react-query";
import { act, fireEvent, render, screen } from "@testing-library/react";
import { expect, test, vi } from "vitest";
import { text } from "@/texts";
import { Loaded } from "@/ui/Loaded";
import { Connection, connection } from "./connection";
import { Problem } from "./problem";
import { recoverQueries } from "./recovery";

const gone = () => Promise.reject(new Problem({ status: 0, code: "no_answer", detail: "" }));

test("what failed or is stale is read again when the service is back, and a change is not repeated", async () => {
  let there = false;
  const line = new Connection(() => Promise.resolve(there));
  const client = new QueryClient({ defaultOptions: { queries: { retry: false, staleTime: Infinity } } });
  const back = vi.fn();
  recoverQueries(client, back, line);
  const write = vi.fn(gone);
  const read = vi.fn(() => (there ? Promise.resolve("read") : gone()));
  const fresh = vi.fn(() => Promise.resolve("fresh"));
  function Page() {
    const one = useQuery({ queryKey: ["one"], queryFn: read });
    const two = useQuery({ queryKey: ["two"], queryFn: fresh });
    const change = useMutation({ mutationFn: write });
    return (
      <>
        <input defaultValue="" aria-label="words" />
        <button onClick={() => change.mutate()}>save</button>
        <p>
          {one.data ?? one.status} {two.data}
        </p>
      </>
    );
  }
  render(
    <QueryClientProvider client={client}>
      <Page />
    </QueryClientProvider>,
  );
  await screen.findByText("error fresh");
  fireEvent.change(screen.getByLabelText("words"), { target: { value: "mine" } });
  fireEvent.click(screen.getByText("save"));
  await line.failed();
  there = true;
  await act(() => line.check().then(() => undefined));
  await screen.findByText("read fresh");
  expect([read.mock.calls.length, fresh.mock.calls.length, write.mock.calls.length, back.mock.calls.length]).toEqual([2, 1, 1, 1]);
  expect(screen.getByLabelText<HTMLInputElement>("words").value).toBe("mine");
});

test("nested parts show one error box that retries all of them, and none while the connection is lost", async () => {
  let there = true;
  const client = new QueryClient({ defaultOptions: { queries: { retry: false } } });
  const read = vi.fn(() => (there ? Promise.resolve("data") : gone()));
  client.setQueryData(["outer"], "old");
  const Nested = () => {
    const outer = useQuery({ queryKey: ["outer"], queryFn: read });
    const inner = useQuery({ queryKey: ["inner"], queryFn: read });
    return <Loaded query={outer}>{(o) => <Loaded query={inner}>{(i) => <p>{`${o} ${i}`}</p>}</Loaded>}</Loaded>;
  };
  there = false;
  render(
    <MantineProvider env="test">
      <QueryClientProvider client={client}>
        <Nested />
      </QueryClientProvider>
    </MantineProvider>,
  );
  await vi.waitFor(() => expect([read.mock.calls.length, screen.getAllByRole("alert").length]).toEqual([2, 1]));
  vi.stubGlobal("fetch", () => Promise.reject(new TypeError("Failed to fetch")));
  await act(() => connection.failed());
  expect(screen.queryAllByRole("alert")).toHaveLength(0);
  vi.stubGlobal("fetch", () => Promise.resolve(new Response("{}")));
  await act(() => connection.check().then(() => undefined));
  there = true;
  fireEvent.click(screen.getByText(text.trouble.again));
  expect(await screen.findByText("data data")).toBeTruthy();
  vi.unstubAllGlobals();
});
