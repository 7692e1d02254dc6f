import { useBlocker } from "@tanstack/react-router";
import { text } from "@/texts";
import { ask } from "./confirm";

/**
 * Asks before a page is left whose entries are not saved; the browser asks where its window
 * is closed. inSearch names what of the address belongs to the form, where it is not the whole page.
 */
export function useUnsaved(dirty: () => boolean, inSearch?: string): void {
  useBlocker({
    shouldBlockFn: async ({ current, next }) => {
      const leaves = current.pathname !== next.pathname || (inSearch !== undefined && valueOf(current.search, inSearch) !== valueOf(next.search, inSearch));
      return leaves && dirty() && !(await ask({ title: text.unsaved.title, says: text.unsaved.says, does: text.unsaved.leave, not: text.unsaved.stay }));
    },
    enableBeforeUnload: dirty,
  });
}

const valueOf = (search: object, name: string): unknown => (search as Record<string, unknown>)[name];
