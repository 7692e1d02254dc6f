import { common } from "@/texts/common";
import { isOver, type Run, type Transition } from "./types";

/** One state that a run has been in. */
export interface Step {
  state: Run["state"];
  cause: string;
  at: string;
  /** Milliseconds in this state; of the last state of a run that goes on, until now; null for the state in which it has ended. */
  lasted: number | null;
  /** The run is in this state now, and goes on. */
  current: boolean;
}

/**
 * The life of a run as a list of states with the time spent in each.
 * now is in milliseconds; a clock that is behind the service's makes no negative times.
 */
export function steps(transitions: readonly Transition[], now: number): Step[] {
  return transitions.map((t, i) => {
    const next = transitions[i + 1];
    const ended = !next && isOver(t.to as Run["state"]);
    const until = next ? Date.parse(next.at) : now;
    return { state: t.to as Run["state"], cause: t.cause, at: t.at, lasted: ended ? null : Math.max(0, until - Date.parse(t.at)), current: !next && !ended };
  });
}

/** Writes a duration in milliseconds for people: 420 ms, 3.2 s, 4 min 5 s, 2 h 3 min, 3 d 4 h. */
export function duration(ms: number): string {
  const { units } = common;
  if (ms < 1000) return `${Math.round(ms)} ${units.ms}`;
  if (ms < 60_000) return `${(Math.floor(ms / 100) / 10).toString()} ${units.s}`;
  const sizes: [number, string][] = [[86_400_000, units.d], [3_600_000, units.h], [60_000, units.min], [1000, units.s]];
  const at = sizes.findIndex(([size]) => ms >= size);
  return sizes
    .slice(at, at + 2)
    .map(([size, name], i) => [Math.floor((i === 0 ? ms : ms % (sizes[at]?.[0] ?? 1)) / size), name] as const)
    .filter(([n]) => n > 0)
    .map(([n, name]) => `${n} ${name}`)
    .join(" ");
}
