import { lazyRouteComponent } from "@tanstack/react-router";
import { connection } from "@/api/connection";

// Vite requests each style sheet of code once per document. One that failed, as during an outage, is removed, so that the next
// attempt requests it again.
document.addEventListener(
  "error",
  ({ target }) => {
    if (target instanceof HTMLLinkElement && target.rel === "stylesheet") target.remove();
  },
  true,
);

/** Returns when the service answers. */
function whenBack(line: typeof connection): Promise<void> {
  return new Promise((back) => {
    const leave = line.subscribe(() => {
      if (line.lost()) return;
      leave();
      back();
    });
  });
}

/** Loads code. A failure waits until a lost connection is back; one that comes again while the service answers is thrown. */
export async function patiently<T>(load: () => Promise<T>, line = connection): Promise<T> {
  for (let failures = 0; ; ) {
    try {
      return await load();
    } catch (error) {
      await line.failed();
      if (line.lost()) await whenBack(line);
      else if (++failures > 1) throw error;
    }
  }
}

let framed = false;

/** Reports whether a frame was rendered since the document was loaded. */
export const isFramed = (): boolean => framed;

/** Tells that the frame is rendered. Pages that are opened later replace the former one when their code is there. */
export function setFramed(): void {
  framed = true;
}

/**
 * A page whose code is loaded when it is opened. The router loads the whole console again when code is missing, as after an
 * upgrade; while the service is down that would leave the person with the error page of the browser. The frame of the first
 * page does not wait for the code.
 */
export function lazyPage<T extends Record<string, unknown>, Name extends keyof T & string>(load: () => Promise<T>, name: Name) {
  const page = lazyRouteComponent(() => patiently(load), name);
  const { preload } = page;
  page.preload = () => {
    const loaded = preload?.();
    return framed ? loaded : undefined;
  };
  return page;
}
