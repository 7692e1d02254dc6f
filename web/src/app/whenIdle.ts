import { patiently } from "./lazyPage";

const longest = 3_000; // ms; a page that is never idle gets its other parts then

/** whenIdle loads a part beside the page when the browser has nothing else to do, so that the page is painted first. During an outage it waits for the service. */
export async function whenIdle<T>(load: () => Promise<T>): Promise<T> {
  await new Promise<void>((idle) => {
    if ("requestIdleCallback" in window) requestIdleCallback(() => idle(), { timeout: longest });
    else setTimeout(idle, 0); // Safari
  });
  return patiently(load);
}
