import { followEvents } from "./follow";

/**
 * Follows a stream of events in one visible window of the browser, which tells the others. It needs locks, which browsers have
 * only over HTTPS and on the machine itself. Returns the function that ends it, or undefined without locks.
 */
export function followShared(address: string, event: string, hear: (data: string) => void, locks: LockManager | undefined = navigator.locks): (() => void) | undefined {
  if (!locks) return undefined;
  const name = `assay ${address}`;
  const channel = new BroadcastChannel(name);
  channel.addEventListener("message", (e: MessageEvent<string>) => hear(e.data));
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
        const end = followEvents({ address, events: { [event]: tell } });
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
