const patience = 60_000; // ms; the service counts the use of a session to the minute

let touched = Date.now();

for (const kind of ["pointermove", "pointerdown", "touchstart", "click", "keydown", "input", "wheel", "focus"]) {
  window.addEventListener(kind, () => (touched = Date.now()), { capture: true, passive: true });
}

/** isAttended reports whether a person has touched the page within the last minute. */
export const isAttended = (): boolean => Date.now() - touched < patience;
