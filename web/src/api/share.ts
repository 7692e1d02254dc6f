import { followEvents } from "./follow";

interface Shared {
  address: string;
  /** The name of the event. */
  event: string;
  /** Hears the data of each event. */
  hear: (data: string) => void;
  locks?: LockManager | undefined;
}

/**
 * Follows a stream of events in one visible window of the browser, which tells the others. It needs locks, which browsers have
 * only over HTTPS and on the machine itself; without them it follows nothing. A stream that ends gives the turn to another window.
 * Returns the function that ends it.
 */
export function followShared({ address, event, hear, locks = navigator.locks }: Shared): () => void {
  if (!locks) return () => undefined;
  const name = `assay ${address}`;
  const channel = new BroadcastChannel(name);
  channel.addEventListener("message", (e: MessageEvent<string>) => {
    if (!document.hidden) hear(e.data);
  });
  const tell = (data: string) => {
    channel.postMessage(data);
    hear(data);
  };
  let turn: AbortController | undefined;
  const leave = () => {
    turn?.abort();
    turn = undefined;
  };
  const take = () => {
    leave();
    if (document.hidden) return;
    const { signal } = (turn = new AbortController());
    const hold = () =>
      new Promise<void>((release) => {
        if (signal.aborted) return release();
        const end = followEvents({
          address,
          events: { [event]: tell },
          tell: (stream) => {
            if (stream === "refused") leave();
          },
        });
        signal.addEventListener("abort", () => {
          end();
          release();
        });
      });
    locks.request(name, { signal }, hold).catch(() => undefined); // it gave up its turn
  };
  document.addEventListener("visibilitychange", take);
  take();
  return () => {
    document.removeEventListener("visibilitychange", take);
    leave();
    channel.close();
  };
}
