import { lazyRouteComponent } from "@tanstack/react-router";
import { connection } from "@/api/connection";

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

/**
 * A page whose code is loaded when it is opened. The router loads the whole console again when code is missing, as after an
 * upgrade; while the service is down that would leave the person with the error page of the browser.
 */
export function lazyPage<T extends Record<string, unknown>, Name extends keyof T & string>(load: () => Promise<T>, name: Name) {
  return lazyRouteComponent(() => patiently(load), name);
}
