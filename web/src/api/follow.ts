import { connection, isOutage, statusOf, waitBefore } from "./connection";

const longestWait = 60_000; // ms between two attempts to open a stream
const settled = 60_000; // ms after which an open stream counts as steady, so that the next attempt comes soon
const silence = 45_000; // ms without an event after which a stream is opened again; the service sends one every 15 s
const spread = 2_000; // ms at most before the question about a stream that ended, so that browsers do not ask all at once

/**
 * The state of a stream of events: connecting; following; interrupted (it reconnects by itself);
 * refused (it does not); paused while the page is hidden.
 */
export type Stream = "connecting" | "following" | "interrupted" | "refused" | "paused";

interface Following {
  address: string;
  /** What to do with the data of each event, by its name. */
  events: Readonly<Record<string, (data: string) => void>>;
  tell?: (stream: Stream) => void;
  line?: typeof connection;
  chance?: () => number;
}

const isRefusal = (status: number): boolean => status === 403 || status === 404;

/** The wait before another attempt, in ms: long if the reader has to sign in or has too many streams. */
const waitAfter = (status: number, attempt: number): number => (status >= 400 ? longestWait : waitBefore(attempt, longestWait));

/**
 * Follows a stream of events while the page is visible, because a browser has only six connections to a server over HTTP/1.1.
 * It opens a stream that ended or is silent again after growing waits, at once when a lost connection is back, and never after
 * 403 or 404, unless the page was hidden. Returns the function that ends it.
 */
export function followEvents({ address, events, tell = () => undefined, line = connection, chance = Math.random }: Following): () => void {
  let source: EventSource | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let alarm: ReturnType<typeof setTimeout> | undefined;
  let attempt = 0;
  let opened = 0; // attempts so far; a late answer about an earlier one changes nothing
  const close = () => {
    clearTimeout(timer);
    clearTimeout(alarm);
    source?.close();
    source = undefined;
  };
  const ask = async (turn: number) => {
    const status = await statusOf(address);
    if (turn !== opened) return;
    if (isOutage(status)) await line.failed();
    if (turn !== opened || line.lost()) return;
    if (isRefusal(status)) tell("refused");
    else timer = setTimeout(open, waitAfter(status, attempt++));
  };
  const interrupted = (turn: number) => {
    close();
    tell("interrupted");
    timer = setTimeout(() => void ask(turn), spread * chance());
  };
  const open = () => {
    close();
    const turn = ++opened;
    if (line.lost()) return;
    if (document.hidden) {
      tell("paused");
      return;
    }
    tell("connecting");
    const made = new EventSource(address);
    let began = Infinity;
    source = made;
    const failed = () => {
      if (source !== made) return;
      if (Date.now() - began > settled) attempt = 0;
      interrupted(turn);
    };
    const alive = () => {
      if (source !== made) return;
      clearTimeout(alarm);
      alarm = setTimeout(failed, silence);
    };
    made.addEventListener("open", () => {
      began = Date.now();
      alive();
      tell("following");
    });
    for (const [name, hear] of Object.entries(events)) {
      made.addEventListener(name, (e: MessageEvent<string>) => {
        alive();
        hear(e.data);
      });
    }
    made.addEventListener("error", failed);
    alive();
  };
  const leave = line.subscribe(open);
  document.addEventListener("visibilitychange", open);
  open();
  return () => {
    opened++;
    leave();
    document.removeEventListener("visibilitychange", open);
    close();
  };
}
