const first = 1_000; // ms before the second question; design choice
const longest = 15_000; // ms; design choice, so that a page recovers soon after the service
const patience = 5_000; // ms for an answer to one question
const steady = 30_000; // ms with a connection after which the waits begin again

type Listener = () => void;

/** Returns the wait before another attempt, in ms. It doubles up to most; chance spreads it, so that browsers do not ask all at once. */
export const waitBefore = (attempt: number, most: number = longest, chance: () => number = Math.random): number => (Math.min(most, first * 2 ** attempt) * (1 + chance())) / 2;

/** isOutage reports whether a status says that the service is not there. */
export const isOutage = (status: number): boolean => status === 0 || (status >= 502 && status <= 504);

/** statusOf asks which status the address of a stream has, because an event source does not tell. 0: no answer. */
export async function statusOf(address: string): Promise<number> {
  try {
    return (await fetch(address, { method: "HEAD", headers: { Accept: "text/event-stream" }, cache: "no-store", signal: AbortSignal.timeout(patience) })).status;
  } catch {
    return 0;
  }
}

/** askAlive asks whether the service is alive. A service that is not ready is alive. This does not count as use of the session. */
async function askAlive(): Promise<boolean> {
  try {
    return !isOutage((await fetch(new URL("/healthz", location.origin), { cache: "no-store", redirect: "manual", signal: AbortSignal.timeout(patience) })).status);
  } catch {
    return false;
  }
}

/** Connection reports whether the service answers. While it does not, it asks again and again, with growing waits. */
export class Connection {
  #lost = false;
  #attempt = 0;
  #backAt = -Infinity;
  #answers = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #asking: Promise<boolean> | undefined;
  #listeners = new Set<Listener>();
  readonly #ask: () => Promise<boolean>;

  constructor(ask: () => Promise<boolean> = askAlive) {
    this.#ask = ask;
  }

  readonly lost = (): boolean => this.#lost;

  /** Adds a listener for the loss and the return of the connection. */
  readonly subscribe = (listener: Listener): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  /** Asks now whether the service is alive. Callers at the same time share one question. */
  readonly check = (): Promise<boolean> => {
    const before = this.#answers;
    this.#asking ??= this.#ask().then((said) => {
      const alive = said || this.#answers !== before;
      this.#asking = undefined;
      this.#set(alive);
      return alive;
    });
    return this.#asking;
  };

  /** Takes note of an answer of the service: the connection is not lost. */
  answered(): void {
    this.#answers++;
    if (this.#lost) this.#set(true);
  }

  /** Takes note of a request without an answer. A request that failed alone does not mean that the connection is lost. */
  async failed(): Promise<void> {
    if (!this.#lost) await this.check();
  }

  /** Asks at once when the page becomes visible or the browser is online again. Returns the function that ends it. */
  readonly watch = (): (() => void) => {
    const now = () => {
      if (this.#lost && !document.hidden) void this.check();
    };
    window.addEventListener("online", now);
    document.addEventListener("visibilitychange", now);
    return () => {
      window.removeEventListener("online", now);
      document.removeEventListener("visibilitychange", now);
    };
  };

  #set(alive: boolean): void {
    const before = this.#lost;
    clearTimeout(this.#timer);
    this.#lost = !alive;
    if (alive && before) this.#backAt = Date.now();
    if (!alive && !before && Date.now() - this.#backAt > steady) this.#attempt = 0;
    if (!alive) this.#timer = setTimeout(() => void this.check(), waitBefore(this.#attempt++));
    if (before !== this.#lost) for (const listener of this.#listeners) listener();
  }
}

export const connection = new Connection();
