import { afterEach, expect, test, vi } from "vitest";
import { connection } from "@/api/connection";
import { whenIdle } from "./whenIdle";

afterEach(() => vi.unstubAllGlobals());

test("a part waits until the browser is idle", async () => {
  let idle = () => {};
  vi.stubGlobal("requestIdleCallback", (then: () => void) => (idle = then));
  const load = vi.fn(() => Promise.resolve("menu"));
  const part = whenIdle(load);
  await Promise.resolve();
  expect(load).not.toHaveBeenCalled();
  idle();
  expect(await part).toBe("menu");
});

test("a part that cannot be loaded during an outage is loaded after it", async () => {
  vi.stubGlobal("requestIdleCallback", (then: () => void) => then());
  let there = false;
  vi.stubGlobal("fetch", () => (there ? Promise.resolve(new Response("{}")) : Promise.reject(new TypeError("Failed to fetch"))));
  const load = vi.fn(() => (there ? Promise.resolve("menu") : Promise.reject(new TypeError("Failed to fetch dynamically imported module"))));
  const part = whenIdle(load);
  await vi.waitFor(() => expect(connection.lost()).toBe(true));
  there = true;
  await connection.check();
  expect(await part).toBe("menu");
  expect(load).toHaveBeenCalledTimes(2);
});
