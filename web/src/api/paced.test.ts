import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { paced } from "./paced";

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

test("a burst of changes is one reading, and a stream of changes is read more and more rarely", async () => {
  const act = vi.fn();
  const { call, cancel } = paced(act, () => 0);
  for (let i = 0; i < 50; i++) call();
  await vi.advanceTimersByTimeAsync(300);
  expect(act).toHaveBeenCalledTimes(1);
  const read: number[] = [];
  act.mockImplementation(() => read.push(Date.now()));
  for (let i = 0; i < 1_200; i++) {
    call();
    await vi.advanceTimersByTimeAsync(100);
  }
  const waits = read.map((at, i) => Math.round((at - (read[i - 1] ?? at)) / 1_000)).slice(1);
  expect(waits).toEqual([6, 12, 24, 30, 30]);
  await vi.advanceTimersByTimeAsync(120_000);
  const before = act.mock.calls.length;
  call();
  await vi.advanceTimersByTimeAsync(300);
  expect(act).toHaveBeenCalledTimes(before + 1);
  call();
  cancel();
  await vi.advanceTimersByTimeAsync(60_000);
  expect(act).toHaveBeenCalledTimes(before + 1);
});

test("browsers read at different moments within 2.5 s", async () => {
  const act = vi.fn();
  paced(act, () => 1).call();
  await vi.advanceTimersByTimeAsync(2_499);
  expect(act).not.toHaveBeenCalled();
  await vi.advanceTimersByTimeAsync(1);
  expect(act).toHaveBeenCalledOnce();
});
