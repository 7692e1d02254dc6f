import { useState } from "react";

export interface OpenGroups {
  isOpen: (group: string) => boolean;
  setOpen: (groups: readonly string[], open: boolean) => void;
}

/**
 * The groups of settings that are open. Without a search all are closed at first; the groups of a
 * search ("" for none) are open at first. A group with a refused setting opens by itself:
 * refusals counts the refusals, and refused names their groups.
 */
export function useOpenGroups(search: string, refusals: number, refused: readonly string[]): OpenGroups {
  const [opened, setOpened] = useState<readonly string[]>([]);
  const [closed, setClosed] = useState<{ search: string; groups: readonly string[] }>({ search, groups: [] });
  const [seen, setSeen] = useState(refusals);
  const inSearch = closed.search === search ? closed.groups : [];
  const setOpen = (groups: readonly string[], open: boolean) => {
    const without = (all: readonly string[]) => all.filter((g) => !groups.includes(g));
    if (search === "") setOpened((now) => (open ? [...without(now), ...groups] : without(now)));
    else setClosed({ search, groups: open ? without(inSearch) : [...without(inSearch), ...groups] });
  };
  if (seen !== refusals) {
    setSeen(refusals);
    setOpen(refused, true);
  }
  return { isOpen: (group) => (search === "" ? opened.includes(group) : !inSearch.includes(group)), setOpen };
}
