import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { Connection } from "./connection";
import { coalesced, followEvents } from "./follow";

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

beforeEach(() => {
  Source.made = [];
  vi.useFakeTimers();
  vi.stubGlobal("EventSource", Source);
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

test("a burst of changes is one reading, and a stream of changes is one in each rest", async () => {
  const act = vi.fn();
  const { call, cancel } = coalesced(act, 300, 3_000);
  for (let i = 0; i < 50; i++) call();
  await vi.advanceTimersByTimeAsync(300);
  expect(act).toHaveBeenCalledTimes(1);
  for (let i = 0; i < 60; i++) {
    call();
    await vi.advanceTimersByTimeAsync(100);
  }
  expect(act).toHaveBeenCalledTimes(3);
  call();
  cancel();
  await vi.advanceTimersByTimeAsync(10_000);
  expect(act).toHaveBeenCalledTimes(3);
});

test("a stream that ends is opened again, and at once when a lost connection is back", async () => {
  let there = true;
  const line = new Connection(() => Promise.resolve(there));
  const news = vi.fn();
  const end = followEvents("/events", "change", news, line);
  Source.made[0]?.dispatchEvent(new MessageEvent("change", { data: "1" }));
  expect(news).toHaveBeenCalledWith("1");
  Source.made[0]?.dispatchEvent(new Event("error"));
  await vi.advanceTimersByTimeAsync(1_000);
  expect(Source.made.map((s) => s.closed)).toEqual([true, false]);
  there = false;
  Source.made[1]?.dispatchEvent(new Event("error"));
  await vi.advanceTimersByTimeAsync(30_000);
  expect(Source.made).toHaveLength(2);
  there = true;
  await line.check();
  expect(Source.made.map((s) => s.closed)).toEqual([true, true, false]);
  end();
  expect(Source.made[2]?.closed).toBe(true);
  await vi.advanceTimersByTimeAsync(60_000);
  expect(Source.made).toHaveLength(3);
});
