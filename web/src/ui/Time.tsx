import { useEffect, useState } from "react";
import { VisuallyHidden } from "@mantine/core";
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

/**
 * A point in time in words; the exact one is shown on hover and on focus, in the reader's zone (Hints).
 * inside: a link or a summary around it takes the focus already.
 */
export function Time({ at, inside = false }: { at: string; inside?: boolean }) {
  const now = useNow();
  return (
    <time dateTime={at} tabIndex={inside ? undefined : 0}>
      {ago(at, now)}
      {inside && <VisuallyHidden>, {exactTime(at)}</VisuallyHidden>}
    </time>
  );
}
