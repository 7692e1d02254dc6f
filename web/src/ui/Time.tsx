import { useEffect, useState } from "react";
import { Tooltip } from "@mantine/core";
import { ago, exactTime } from "./format";

const minute = 60_000;

/** The time of now, to the minute, for words such as "5 minutes ago". */
export function useNow(): number {
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), minute);
    return () => clearInterval(timer);
  }, []);
  return now;
}

/** A point in time in words; the exact one is shown on hover and on focus, in the reader's zone. */
export function Time({ at }: { at: string }) {
  const now = useNow();
  const exact = exactTime(at);
  return (
    <Tooltip label={exact} events={{ hover: true, focus: true, touch: true }}>
      <time dateTime={at}>
        {ago(at, now)}
      </time>
    </Tooltip>
  );
}
