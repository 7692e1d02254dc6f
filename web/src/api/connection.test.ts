import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { Connection, waitBefore } from "./connection";

beforeEach(() => vi.useFakeTimers());
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

test("waits grow, are bounded, and differ between browsers", () => {
  const waits = (chance: number) => [0, 1, 2, 3, 4, 40].map((n) => waitBefore(n, 15_000, () => chance));
  expect(waits(1)).toEqual([1_000, 2_000, 4_000, 8_000, 15_000, 15_000]);
  expect(waits(0)).toEqual([500, 1_000, 2_000, 4_000, 7_500, 7_500]);
});

/** A connection to a service that answers as `there` says. */
function world() {
  const service = { there: false, asked: 0 };
  const line = new Connection(() => {
    service.asked++;
    return Promise.resolve(service.there);
  });
  const told: boolean[] = [];
  line.subscribe(() => told.push(line.lost()));
  return { service, line, told };
}

test("a lost connection is asked about until it is back, and is told once each way", async () => {
  const { service, line, told } = world();
  await Promise.all([line.failed(), line.failed()]);
  expect([service.asked, line.lost()]).toEqual([1, true]);
  await line.failed();
  expect(service.asked).toBe(1);
  await vi.advanceTimersByTimeAsync(60_000);
  expect(service.asked).toBeGreaterThan(5);
  expect(service.asked).toBeLessThan(15);
  service.there = true;
  await vi.advanceTimersByTimeAsync(15_000);
  expect([line.lost(), told]).toEqual([false, [true, false]]);
  const then = service.asked;
  await vi.advanceTimersByTimeAsync(60_000);
  expect(service.asked).toBe(then);
});

test("one request without an answer is not a lost connection", async () => {
  const { service, line, told } = world();
  service.there = true;
  await line.failed();
  expect([line.lost(), told]).toEqual([false, []]);
});

test("a page that becomes visible, or a browser that is online, asks at once", async () => {
  const { service, line } = world();
  const end = line.watch();
  window.dispatchEvent(new Event("online"));
  expect(service.asked).toBe(0);
  await line.failed();
  window.dispatchEvent(new Event("online"));
  await vi.advanceTimersByTimeAsync(0);
  expect(service.asked).toBe(2);
  const hidden = vi.spyOn(document, "hidden", "get").mockReturnValue(true);
  document.dispatchEvent(new Event("visibilitychange"));
  expect(service.asked).toBe(2);
  hidden.mockReturnValue(false);
  service.there = true;
  document.dispatchEvent(new Event("visibilitychange"));
  await vi.advanceTimersByTimeAsync(0);
  expect(line.lost()).toBe(false);
  end();
});

test("an answer of the service ends the loss, also while a question fails", async () => {
  const { service, line, told } = world();
  await line.failed();
  const question = line.check();
  line.answered();
  await question;
  expect([line.lost(), told]).toEqual([false, [true, false]]);
  await vi.advanceTimersByTimeAsync(60_000);
  expect(service.asked).toBe(2);
});

test("the question goes to the route that tells whether the service is alive", async () => {
  const fetched = vi.fn(() => Promise.resolve(new Response()));
  vi.stubGlobal("fetch", fetched);
  await new Connection().check();
  expect(String((fetched.mock.calls[0] as unknown[])[0])).toMatch(/\/healthz$/);
  vi.unstubAllGlobals();
});
