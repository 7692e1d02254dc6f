import { useLayoutEffect, useRef, useState, type FocusEvent, type RefObject } from "react";

interface Steady<T, C> {
  rows: readonly T[];
  /** The counts that belong to the rows. */
  counts: C;
  /** The list has rows that are not shown yet, or shows rows that it no longer has. */
  held: boolean;
  /** Lets the next change of the rows pass. */
  release: () => void;
  /** For the element around the rows. */
  watch: { ref: RefObject<HTMLTableSectionElement | null>; onPointerLeave: () => void; onBlur: (e: FocusEvent) => void };
}

const isPointed = (body: Element | null): boolean => body?.matches(":hover") === true;

const hasFocus = (body: Element | null): boolean => body?.contains(document.activeElement) === true && document.activeElement?.matches(":disabled") === false;

/** Reports whether an element is in the note that offers to show the change. */
const isInNote = (e: EventTarget | null): boolean => e instanceof Element && e.closest(".held") !== null;

/** Keeps the rows of a list, and its counts, in their places while the pointer or the focus is on the rows. Contents of rows still change. Another list starts with its own rows. */
export function useSteady<T, C = undefined>(rows: readonly T[], keyOf: (row: T) => string, list: string, counts: C): Steady<T, C> {
  const [shown, setShown] = useState({ list, rows, counts, free: false });
  const ref = useRef<HTMLTableSectionElement>(null);
  const same = shown.list === list;
  const held = same && (shown.rows.length !== rows.length || shown.rows.some((r, i) => keyOf(r) !== keyOf(rows[i] as T)));
  const now = new Map(rows.map((r) => [keyOf(r), r]));
  const settle = () => setShown({ list, rows, counts, free: false });
  if (same && !held && shown.counts !== counts) setShown({ ...shown, counts });
  useLayoutEffect(() => {
    const body = ref.current;
    const isHeld = () => isPointed(body) || hasFocus(body);
    if (!same || (held && (shown.free || !isHeld()))) return settle();
    if (!held || !body) return;
    // A focused element that is disabled or removed loses the focus without an event.
    const changes = new MutationObserver(() => isHeld() || settle());
    changes.observe(body, { childList: true, subtree: true, attributeFilter: ["disabled"] });
    return () => changes.disconnect();
  });
  return {
    rows: held ? shown.rows.map((r) => now.get(keyOf(r)) ?? r) : rows,
    counts: held ? shown.counts : counts,
    held,
    release: () => {
      if (hasFocus(ref.current) || isInNote(document.activeElement)) ref.current?.closest<HTMLElement>(".scroll")?.focus(); // its element may go
      setShown((s) => ({ ...s, free: true }));
    },
    watch: {
      ref,
      onPointerLeave: () => hasFocus(ref.current) || settle(),
      onBlur: (e) => isInNote(e.relatedTarget) || (e.relatedTarget instanceof Node && e.currentTarget.contains(e.relatedTarget)) || isPointed(ref.current) || settle(),
    },
  };
}
