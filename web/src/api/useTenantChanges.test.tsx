import { QueryClient, QueryClientProvider, useQuery } from "@tanstack/react-query";
import { act, render } from "@testing-library/react";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { isLive, useTenantChanges } from "./useTenantChanges";

beforeEach(() => vi.useFakeTimers());
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
});

test("lists of the tenant change by themselves, forms and other tenants do not", () => {
  const live = (...queryKey: string[]) => isLive({ queryKey }, "t1");
  expect([live("tenant", "t1", "inbox"), live("tenant", "t1", "policy"), live("tenant", "t2", "inbox"), live("me")]).toEqual([true, false, false, false]);
});

test("repeated events do not put off the reading of changes that send none", async () => {
  class Source extends EventTarget {
    close() {}
    constructor() {
      super();
      setInterval(() => this.dispatchEvent(new MessageEvent("change", { data: "1" })), 15_000);
    }
  }
  vi.stubGlobal("EventSource", Source);
  vi.stubGlobal("navigator", { ...navigator, locks: { request: (_: string, __: object, hold: () => Promise<void>) => hold() } });
  const inbox = vi.fn(() => Promise.resolve("inbox"));
  function Page() {
    useTenantChanges("t1");
    useQuery({ queryKey: ["tenant", "t1", "inbox"], queryFn: inbox, staleTime: Infinity });
    return null;
  }
  const view = render(
    <QueryClientProvider client={new QueryClient()}>
      <Page />
    </QueryClientProvider>,
  );
  await act(() => vi.advanceTimersByTimeAsync(600_000));
  expect(inbox.mock.calls.length).toBeGreaterThan(18);
  view.unmount();
});

test.each([
  ["equals the version of the page", "v1", 1],
  ["differs from the version of the page, because something changed in between", "v2", 2],
])("the first event %s", async (_, version, readings) => {
  class Source extends EventTarget {
    close() {}
    constructor() {
      super();
      setTimeout(() => this.dispatchEvent(new MessageEvent("change", { data: `{"version":"${version}"}` })), 100);
    }
  }
  vi.stubGlobal("EventSource", Source);
  vi.stubGlobal("navigator", { ...navigator, locks: { request: (_: string, __: object, hold: () => Promise<void>) => hold() } });
  document.head.innerHTML = `<meta name="assay-version" content="v1" />`;
  const inbox = vi.fn(() => Promise.resolve("inbox"));
  function Page() {
    useTenantChanges("t1");
    useQuery({ queryKey: ["tenant", "t1", "inbox"], queryFn: inbox, staleTime: Infinity });
    return null;
  }
  const view = render(
    <QueryClientProvider client={new QueryClient()}>
      <Page />
    </QueryClientProvider>,
  );
  await act(() => vi.advanceTimersByTimeAsync(20_000));
  expect(inbox).toHaveBeenCalledTimes(readings);
  view.unmount();
  document.head.innerHTML = "";
});

test("without a stream, lists are read again every half minute, and when the page is shown", async () => {
  const inbox = vi.fn(() => Promise.resolve("inbox"));
  const policy = vi.fn(() => Promise.resolve("policy"));
  function Page() {
    useTenantChanges("t1");
    useQuery({ queryKey: ["tenant", "t1", "inbox"], queryFn: inbox, staleTime: Infinity });
    useQuery({ queryKey: ["tenant", "t1", "policy"], queryFn: policy, staleTime: Infinity });
    return null;
  }
  const view = render(
    <QueryClientProvider client={new QueryClient()}>
      <Page />
    </QueryClientProvider>,
  );
  const after = (ms: number) => act(() => vi.advanceTimersByTimeAsync(ms));
  await after(29_000);
  expect(inbox).toHaveBeenCalledTimes(1);
  await after(1_000);
  expect(inbox).toHaveBeenCalledTimes(2);
  const hidden = vi.spyOn(document, "hidden", "get").mockReturnValue(true);
  await after(90_000);
  expect(inbox).toHaveBeenCalledTimes(2);
  hidden.mockReturnValue(false);
  document.dispatchEvent(new Event("visibilitychange"));
  await after(0);
  expect(inbox).toHaveBeenCalledTimes(3);
  expect(policy).toHaveBeenCalledTimes(1);
  view.unmount();
  await after(90_000);
  expect(inbox).toHaveBeenCalledTimes(3);
});
