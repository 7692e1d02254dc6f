import { connection, waitBefore } from "./connection";

const longestWait = 60_000; // ms between two attempts to open a stream

/**
 * Follows a stream of events while the page is visible. It opens the stream again after growing waits, and at once when a lost
 * connection is back. Returns the function that ends it.
 */
export function followEvents(address: string, event: string, news: (data: string) => void, line = connection): () => void {
  let source: EventSource | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let attempt = 0;
  const close = () => {
    clearTimeout(timer);
    source?.close();
    source = undefined;
  };
  const open = () => {
    close();
    if (document.hidden || line.lost()) return;
    const made = new EventSource(address);
    source = made;
    made.addEventListener(event, (e: MessageEvent<string>) => {
      attempt = 0;
      news(e.data);
    });
    made.addEventListener("error", () => {
      if (source !== made) return;
      close();
      void line.check();
      timer = setTimeout(open, waitBefore(attempt++, longestWait));
    });
  };
  const leave = line.subscribe(open);
  document.addEventListener("visibilitychange", open);
  open();
  return () => {
    leave();
    document.removeEventListener("visibilitychange", open);
    close();
  };
}

/** Runs act a moment after the first of several calls, and then at most once in each rest. Both are in ms. */
export function coalesced(act: () => void, moment = 300, rest = 3_000): { call: () => void; cancel: () => void } {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let last = -Infinity;
  return {
    call: () => {
      timer ??= setTimeout(
        () => {
          timer = undefined;
          last = Date.now();
          act();
        },
        Math.max(moment, last + rest - Date.now()),
      );
    },
    cancel: () => clearTimeout(timer),
  };
}
