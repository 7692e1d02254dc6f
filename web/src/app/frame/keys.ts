/** Whether a key belongs to a field in which a person writes or chooses. */
export function enters(target: EventTarget | null): boolean {
  if (target instanceof HTMLInputElement && target.type === "checkbox") return false;
  return target instanceof HTMLElement && (target.isContentEditable || ["INPUT", "TEXTAREA", "SELECT"].includes(target.tagName));
}

/** Whether a key is a shortcut: it stands alone, goes to no field, and no dialog is open. */
export const isShortcut = (e: KeyboardEvent): boolean => !(e.ctrlKey || e.metaKey || e.altKey || enters(e.target)) && document.querySelector("[role=dialog]") === null;
