import { useEffect, type RefObject } from "react";

/**
 * Makes the function that moves focus to the heading of each page after navigation, so that screen
 * readers announce it. At the path where the browser begins, focus stays. An open dialog keeps its
 * focus, because the person may have opened it while the page was loading.
 */
export function arrivals(begins: string): (heading: HTMLElement, path: string) => void {
  let arrived: { path: string; heading: HTMLElement | null } = { path: begins, heading: null };
  return (heading, path) => {
    // A page may have another heading once it is loaded: focus has then gone with the first.
    const replaced = arrived.heading !== null && !arrived.heading.isConnected && document.activeElement === document.body;
    if (path === arrived.path && !replaced) return;
    arrived = { path, heading };
    if (document.activeElement?.closest("[role=dialog]")) return;
    heading.focus({ preventScroll: true });
  };
}

const arrive = arrivals(window.location.pathname);

/** For the heading of a page, which has to take focus (tabIndex -1). A page may stay for another address, so each time it is shown counts. */
export function useArrival(heading: RefObject<HTMLElement | null>): void {
  useEffect(() => {
    if (heading.current) arrive(heading.current, window.location.pathname);
  });
}
