import { useEffect, useRef } from "react";
import { isShortcut } from "@/app/frame/keys";
import { useSingleKeys } from "@/app/frame/preferences";

const rows = () => [...document.querySelectorAll<HTMLElement>("[data-finding]")];

/**
 * Keys of a list of findings: j and k move the focus to the link of the next or previous row. The other keys act on the row that
 * has the focus; their functions get its id.
 */
export function useListKeys(acts: Readonly<Record<string, (id: string) => unknown>>): void {
  const [single] = useSingleKeys();
  const now = useRef(acts);
  useEffect(() => {
    now.current = acts;
  });
  useEffect(() => {
    if (!single) return;
    const pressed = (e: KeyboardEvent) => {
      if (!isShortcut(e)) return;
      const all = rows();
      const at = all.findIndex((r) => r.contains(document.activeElement));
      if (e.key === "j" || e.key === "k") {
        const to = all[e.key === "j" ? at + 1 : Math.max(at - 1, 0)];
        to?.querySelector("a")?.focus();
        return;
      }
      const act = Object.hasOwn(now.current, e.key) ? now.current[e.key] : undefined;
      if (!act) return;
      e.preventDefault();
      act(all[at]?.dataset["finding"] ?? "");
    };
    document.addEventListener("keydown", pressed);
    return () => document.removeEventListener("keydown", pressed);
  }, [single]);
}
