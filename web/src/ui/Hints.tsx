import { useEffect, useState } from "react";
import { Tooltip } from "@mantine/core";
import { exactTime } from "./format";

const hinted = "[data-hint], time[datetime*='T']"; // a day of figures has no time

const gap = 5; // px between an element and its hint

function hintedAt(event: Event): HTMLElement | undefined {
  return (event.target instanceof Element && event.target.closest<HTMLElement>(hinted)) || undefined;
}

function labelOf(element: HTMLElement): string {
  return element instanceof HTMLTimeElement ? exactTime(element.dateTime) : (element.dataset["hint"] ?? "");
}

/** Reports whether the pointer is on the shown hint, or between it and its element. */
function isOnHint({ clientX: x, clientY: y }: PointerEvent): boolean {
  const box = document.getElementById("hint")?.parentElement?.getBoundingClientRect();
  return box !== undefined && x >= box.left && x <= box.right && y >= box.top - gap && y <= box.bottom + gap;
}

/**
 * Shows the hint of the element under the pointer, else of the focused one: the value of data-hint, or the exact time of a
 * time element. It stands once above all pages, because a tooltip of its own for each row makes lists slow. Escape hides it.
 * It stays while the pointer is on it, and lets presses through to the elements below it.
 */
export function Hints() {
  const [hovered, hover] = useState<HTMLElement>();
  const [focused, focus] = useState<HTMLElement>();
  const shown = hovered ?? focused;
  useEffect(() => {
    const entered = (e: PointerEvent) => hover((now) => (now && isOnHint(e) ? now : hintedAt(e)));
    const moved = (e: PointerEvent) => hover((now) => (now && !isOnHint(e) ? hintedAt(e) : now));
    const focusEntered = (e: Event) => focus(hintedAt(e));
    const away = () => hover(undefined);
    const focusLeft = () => focus(undefined);
    const escaped = (e: KeyboardEvent) => {
      if (e.key !== "Escape") return;
      away();
      focusLeft();
    };
    const until = new AbortController();
    const { signal } = until;
    document.addEventListener("pointerover", entered, { signal });
    document.addEventListener("pointermove", moved, { signal });
    document.documentElement.addEventListener("pointerleave", away, { signal });
    document.addEventListener("focusin", focusEntered, { signal });
    document.addEventListener("focusout", focusLeft, { signal });
    document.addEventListener("keydown", escaped, { signal });
    return () => until.abort();
  }, []);
  useEffect(() => {
    shown?.setAttribute("aria-describedby", "hint");
    return () => shown?.removeAttribute("aria-describedby");
  }, [shown]);
  if (!shown) return null;
  const label = labelOf(shown);
  return <Tooltip key={label} opened target={shown} offset={gap} multiline maw="calc(100vw - 1rem)" label={<span id="hint">{label}</span>} />;
}
