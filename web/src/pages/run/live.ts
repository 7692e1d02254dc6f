import { useEffect, useEffectEvent, useState } from "react";
import type { Run, RunEvent } from "./types";

/**
 * The state of a run's event stream: connecting; following; interrupted (the browser reconnects by
 * itself); refused (it does not); paused while the page is hidden.
 */
export type Stream = "connecting" | "following" | "interrupted" | "refused" | "paused";

/** The run after an event of its stream. */
export function withNews(run: Run, news: RunEvent): Run {
  const out: Run = { ...run, state: news.state, reason: news.reason, usageTotal: news.usage };
  if (news.progress) out.progress = news.progress;
  else delete out.progress;
  return out;
}

/** Whether more of a run has changed than its events contain, so that it must be reloaded. */
export function wantsReading(before: RunEvent["state"], after: RunEvent["state"]): boolean {
  return before !== after;
}

/** Reads the data of an event; null if it is not valid. */
export function newsOf(data: string): RunEvent | null {
  try {
    const v: unknown = JSON.parse(data);
    return typeof v === "object" && v !== null && "state" in v && "usage" in v ? (v as RunEvent) : null;
  } catch {
    return null;
  }
}

/**
 * Follows a run by server-sent events at address; "" follows no run. Another attempt starts a refused
 * stream again. A hidden page holds no connection, because browsers have only six for one server.
 */
export function useRunStream(address: string, attempt: number, heard: (news: RunEvent, over: boolean) => void): Stream {
  const [stream, setStream] = useState<Stream>("connecting");
  const tell = useEffectEvent(heard);
  useEffect(() => {
    if (address === "") return;
    let source: EventSource | null = null;
    let over = false;
    const leave = () => {
      source?.close();
      source = null;
    };
    const follow = () => {
      leave();
      if (over) return;
      if (document.hidden) {
        setStream("paused");
        return;
      }
      setStream("connecting");
      const made = new EventSource(address);
      source = made;
      const hear = (last: boolean) => (event: MessageEvent<string>) => {
        const news = newsOf(event.data);
        if (last) {
          over = true;
          leave();
        }
        if (news) tell(news, last);
      };
      made.addEventListener("open", () => setStream("following"));
      made.addEventListener("progress", hear(false));
      made.addEventListener("end", hear(true));
      made.addEventListener("error", () => setStream(made.readyState === EventSource.CLOSED ? "refused" : "interrupted"));
    };
    document.addEventListener("visibilitychange", follow);
    follow();
    return () => {
      document.removeEventListener("visibilitychange", follow);
      leave();
    };
  }, [address, attempt]);
  return stream;
}
