import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { followShared } from "./share";

class Source extends EventTarget {
  static open = new Set<Source>();
  constructor() {
    super();
    Source.open.add(this);
  }
  close() {
    Source.open.delete(this);
  }
}

/** Locks as browsers have them: one holder of a name, and the others wait in turn. */
class Locks {
  #waiting: { signal: AbortSignal; hold: () => Promise<void> }[] = [];
  #held = false;
  request(_: string, { signal }: { signal: AbortSignal }, hold: () => Promise<void>): Promise<void> {
    this.#waiting.push({ signal, hold });
    this.#next();
    return Promise.resolve();
  }
  #next(): void {
    if (this.#held) return;
    const next = this.#waiting.shift();
    if (!next) return;
    if (next.signal.aborted) return this.#next();
    this.#held = true;
    void next.hold().then(() => {
      this.#held = false;
      this.#next();
    });
  }
}

beforeEach(() => {
  Source.open.clear();
  vi.stubGlobal("EventSource", Source);
});
afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
});

test("six windows share one stream, all hear its events, and another takes it over", async () => {
  const locks = new Locks() as unknown as LockManager;
  const heard = [0, 1, 2, 3, 4, 5].map(() => vi.fn());
  const ends = heard.map((hear) => followShared({ address: "/events", event: "change", hear, locks }));
  expect(Source.open.size).toBe(1);
  [...Source.open][0]?.dispatchEvent(new MessageEvent("change", { data: "1" }));
  await vi.waitFor(() => heard.forEach((hear) => expect(hear).toHaveBeenCalledWith("1")));
  ends[0]?.();
  await vi.waitFor(() => expect(Source.open.size).toBe(1));
  [...Source.open][0]?.dispatchEvent(new MessageEvent("change", { data: "2" }));
  await vi.waitFor(() => heard.slice(1).forEach((hear) => expect(hear).toHaveBeenCalledWith("2")));
  expect(heard[0]).not.toHaveBeenCalledWith("2");
  vi.spyOn(document, "hidden", "get").mockReturnValue(true);
  document.dispatchEvent(new Event("visibilitychange"));
  await vi.waitFor(() => expect(Source.open.size).toBe(0));
  for (const end of ends) end();
});

test("a refused stream gives the turn to the next window", async () => {
  const locks = new Locks() as unknown as LockManager;
  vi.stubGlobal("fetch", () => Promise.resolve(new Response(null, { status: 403 })));
  const ends = [0, 1].map(() => followShared({ address: "/events", event: "change", hear: vi.fn(), locks }));
  const first = [...Source.open][0];
  first?.dispatchEvent(new Event("error"));
  await vi.waitFor(() => expect([...Source.open]).not.toContain(first));
  await vi.waitFor(() => expect(Source.open.size).toBe(1), 10_000);
  for (const end of ends) end();
  expect(Source.open.size).toBe(0);
});

test("a browser without locks follows no stream", () => {
  followShared({ address: "/events", event: "change", hear: vi.fn(), locks: undefined })();
  expect(Source.open.size).toBe(0);
});
