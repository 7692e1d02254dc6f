import { useLayoutEffect, useRef, useState, type FocusEvent, type RefObject } from "react";

interface Steady<T> {
  rows: readonly T[];
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

/** Keeps the rows of a list in their places while the pointer or the focus is on them. Their contents still change. Another list starts with its own rows. */
export function useSteady<T>(rows: readonly T[], keyOf: (row: T) => string, list: string): Steady<T> {
  const [shown, setShown] = useState({ list, rows, free: false });
  const ref = useRef<HTMLTableSectionElement>(null);
  const same = shown.list === list;
  const held = same && (shown.rows.length !== rows.length || shown.rows.some((r, i) => keyOf(r) !== keyOf(rows[i] as T)));
  const now = new Map(rows.map((r) => [keyOf(r), r]));
  const settle = () => setShown({ list, rows, free: false });
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
