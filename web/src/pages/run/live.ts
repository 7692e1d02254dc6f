import { useEffect, useEffectEvent, useState } from "react";
import type { Run, RunEvent } from "./types";

/**
 * How the stream of a run stands: connecting; following; interrupted (the browser
 * connects again by itself); refused (it does not); paused while nobody sees the page.
 */
export type Stream = "connecting" | "following" | "interrupted" | "refused" | "paused";

/** What becomes of a run that is shown when an event of its stream arrives. */
export function withNews(run: Run, news: RunEvent): Run {
  const out: Run = { ...run, state: news.state, reason: news.reason, usageTotal: news.usage };
  if (news.progress) out.progress = news.progress;
  else delete out.progress;
  return out;
}

/** Whether more of a run has changed than its events tell, so that it is read again. */
export function wantsReading(before: RunEvent["state"], after: RunEvent["state"]): boolean {
  return before !== after;
}

/** Reads the data of an event; null for what is none. */
export function newsOf(data: string): RunEvent | null {
  try {
    const v: unknown = JSON.parse(data);
    return typeof v === "object" && v !== null && "state" in v && "usage" in v ? (v as RunEvent) : null;
  } catch {
    return null;
  }
}

/**
 * Follows a run by server-sent events at address ("" for none); another attempt begins
 * anew where the stream was refused. A page that nobody
 * sees holds no connection: browsers have six for one server.
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
