import { useEffect, useEffectEvent, useState } from "react";
import { followEvents, type Stream } from "@/api/follow";
import type { Run, RunEvent } from "./types";

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

/** Follows a run by server-sent events at address; "" follows no run. Another attempt starts a refused stream again. */
export function useRunStream(address: string, attempt: number, heard: (news: RunEvent, over: boolean) => void): Stream {
  const [stream, setStream] = useState<Stream>("connecting");
  const tell = useEffectEvent(heard);
  useEffect(() => {
    if (address === "") return;
    const hear = (data: string, over: boolean) => {
      const news = newsOf(data);
      if (news) tell(news, over);
    };
    const end = followEvents({
      address,
      events: {
        progress: (data) => hear(data, false),
        end: (data) => {
          end();
          hear(data, true);
        },
      },
      tell: setStream,
    });
    return end;
  }, [address, attempt]);
  return stream;
}
