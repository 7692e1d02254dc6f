import { useState, type FocusEvent } from "react";

interface Steady<T> {
  rows: readonly T[];
  /** The list has rows that are not shown yet, or shows rows that it no longer has. */
  held: boolean;
  release: () => void;
  /** For the element around the rows. */
  watch: { onPointerEnter: () => void; onPointerLeave: () => void; onFocus: () => void; onBlur: (e: FocusEvent) => void };
}

/** Keeps the rows of a list in their places while the pointer or the focus is on them. Their contents still change. Another list starts with its own rows. */
export function useSteady<T>(rows: readonly T[], keyOf: (row: T) => string, list: string): Steady<T> {
  const [hold, setHold] = useState<{ list: string; rows: readonly T[] }>();
  const kept = hold?.list === list ? hold.rows : undefined;
  const [pointed, setPointed] = useState(false);
  const [focused, setFocused] = useState(false);
  const keep = () => setHold({ list, rows: kept ?? rows });
  const release = () => setHold(undefined);
  const now = new Map(rows.map((r) => [keyOf(r), r]));
  return {
    rows: kept?.map((r) => now.get(keyOf(r)) ?? r) ?? rows,
    held: kept !== undefined && (kept.length !== rows.length || kept.some((r, i) => keyOf(r) !== keyOf(rows[i] as T))),
    release,
    watch: {
      onPointerEnter: () => {
        setPointed(true);
        keep();
      },
      onPointerLeave: () => {
        setPointed(false);
        if (!focused) release();
      },
      onFocus: () => {
        setFocused(true);
        keep();
      },
      onBlur: (e) => {
        if (e.relatedTarget instanceof Node && e.currentTarget.contains(e.relatedTarget)) return;
        setFocused(false);
        if (!pointed) release();
      },
    },
  };
}
