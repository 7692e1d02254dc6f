import { useEffect, useState } from "react";
import { Tooltip } from "@mantine/core";
import { exactTime } from "./format";

const hinted = "[data-hint], time[datetime]";

function hintedAt(event: Event): HTMLElement | undefined {
  return (event.target instanceof Element && event.target.closest<HTMLElement>(hinted)) || undefined;
}

function labelOf(element: HTMLElement): string {
  return element instanceof HTMLTimeElement ? exactTime(element.dateTime) : (element.dataset["hint"] ?? "");
}

/**
 * Shows the hint of the element under the pointer, else of the focused one: the value of data-hint, or the exact time of a
 * time element. It stands once above all pages, because a tooltip of its own for each row makes lists slow. Escape hides it.
 */
export function Hints() {
  const [hovered, hover] = useState<HTMLElement>();
  const [focused, focus] = useState<HTMLElement>();
  const shown = hovered ?? focused;
  useEffect(() => {
    const entered = (e: Event) => hover(hintedAt(e));
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
  return <Tooltip key={labelOf(shown)} opened target={shown} label={<span id="hint">{labelOf(shown)}</span>} />;
}
