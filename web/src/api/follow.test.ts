import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { Connection } from "./connection";
import { followEvents, type Stream } from "./follow";

class Source extends EventTarget {
  static made: Source[] = [];
  closed = false;
  constructor() {
    super();
    Source.made.push(this);
  }
  close() {
    this.closed = true;
  }
}

const newest = () => Source.made.at(-1) as Source;

beforeEach(() => {
  Source.made = [];
  vi.useFakeTimers();
  vi.stubGlobal("EventSource", Source);
});
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
});

/** A stream of a service whose answers have a status; 0: there is no answer. */
function world(status = 200) {
  const service = { status, asked: [] as string[] };
  const line = new Connection(() => Promise.resolve(service.status !== 0));
  const told: Stream[] = [];
  const heard: string[] = [];
  vi.stubGlobal("fetch", (_: string, init: RequestInit) => {
    service.asked.push(String(init.method));
    return service.status === 0 ? Promise.reject(new TypeError()) : Promise.resolve(new Response(null, { status: service.status }));
  });
  const end = followEvents({ address: "/events", events: { change: (data) => heard.push(data) }, tell: (s) => told.push(s), line, chance: () => 0 });
  const fail = async (after: number) => {
    newest().dispatchEvent(new Event("error"));
    await vi.advanceTimersByTimeAsync(after);
  };
  return { service, line, told, heard, end, fail };
}

test("a stream that ends is opened again after growing waits, and no connection counts as lost", async () => {
  const { line, heard, told, fail, end } = world();
  newest().dispatchEvent(new MessageEvent("change", { data: "1" }));
  expect(heard).toEqual(["1"]);
  for (let i = 1; i < 5; i++) {
    newest().dispatchEvent(new Event("open"));
    await fail(1_000 * 2 ** (i - 1));
    expect(Source.made).toHaveLength(i + 1);
  }
  await fail(5_000);
  expect(Source.made).toHaveLength(5);
  await vi.advanceTimersByTimeAsync(11_000);
  newest().dispatchEvent(new Event("open"));
  await vi.advanceTimersByTimeAsync(40_000);
  newest().dispatchEvent(new MessageEvent("change", { data: "2" }));
  await vi.advanceTimersByTimeAsync(21_000); // a steady stream
  await fail(1_000);
  expect(Source.made).toHaveLength(7);
  expect([line.lost(), Source.made.filter((s) => !s.closed).length]).toEqual([false, 1]);
  expect(told.slice(0, 4)).toEqual(["connecting", "following", "interrupted", "connecting"]);
  end();
  expect(newest().closed).toBe(true);
});

test("a lost connection opens the stream when it is back", async () => {
  const { service, line, fail, end } = world();
  service.status = 0;
  await fail(60_000);
  expect([line.lost(), Source.made.length]).toEqual([true, 1]);
  service.status = 200;
  await line.check();
  expect(Source.made).toHaveLength(2);
  end();
});

test.each([403, 404])("a stream that is refused with %d is not asked for again until the page was hidden", async (status) => {
  const { service, told, fail, end } = world(status);
  await fail(3_600_000);
  expect([Source.made.length, service.asked, told.at(-1)]).toEqual([1, ["HEAD"], "refused"]);
  document.dispatchEvent(new Event("visibilitychange"));
  expect(Source.made).toHaveLength(2);
  end();
});

test.each([401, 429, 500])("a stream that is refused with %d is asked for once a minute", async (status) => {
  const { fail, end } = world(status);
  for (let i = 1; i < 4; i++) {
    await fail(59_000);
    expect(Source.made).toHaveLength(i);
    await vi.advanceTimersByTimeAsync(1_000);
    expect(Source.made).toHaveLength(i + 1);
  }
  end();
});

test("a hidden page holds no stream, and a late answer opens none", async () => {
  const { told, fail, end } = world();
  const hidden = vi.spyOn(document, "hidden", "get").mockReturnValue(true);
  document.dispatchEvent(new Event("visibilitychange"));
  expect([newest().closed, told.at(-1)]).toEqual([true, "paused"]);
  hidden.mockReturnValue(false);
  document.dispatchEvent(new Event("visibilitychange"));
  expect(Source.made).toHaveLength(2);
  newest().dispatchEvent(new Event("error"));
  end();
  await vi.advanceTimersByTimeAsync(120_000);
  expect(Source.made).toHaveLength(2);
  await fail(120_000);
  expect(Source.made).toHaveLength(2);
});

test("a silent stream is opened again, and one with events is not", async () => {
  const { told, end } = world();
  const first = newest();
  first.dispatchEvent(new Event("open"));
  for (let i = 0; i < 10; i++) {
    await vi.advanceTimersByTimeAsync(44_000);
    first.dispatchEvent(new MessageEvent("change", { data: "1" }));
  }
  expect([Source.made.length, first.closed]).toEqual([1, false]);
  await vi.advanceTimersByTimeAsync(44_999);
  expect(first.closed).toBe(false);
  await vi.advanceTimersByTimeAsync(1);
  expect([first.closed, told.at(-1)]).toEqual([true, "interrupted"]);
  await vi.advanceTimersByTimeAsync(1_000);
  expect(Source.made).toHaveLength(2);
  end();
  await vi.advanceTimersByTimeAsync(120_000);
  expect(Source.made).toHaveLength(2);
});
