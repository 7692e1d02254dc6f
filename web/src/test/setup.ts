import { notifications } from "@mantine/notifications";
import { cleanup, configure } from "@testing-library/react";
import { afterEach, vi } from "vitest";
import { connection } from "@/api/connection";

/** happy-dom has no event streams. This one is silent. */
class SilentSource extends EventTarget {
  close() {
    return undefined;
  }
}
Object.defineProperty(globalThis, "EventSource", { value: SilentSource, configurable: true, writable: true });

configure({ asyncUtilTimeout: 10_000 }); // the machine may be busy
afterEach(async () => {
  cleanup();
  if (connection.lost()) {
    vi.stubGlobal("fetch", () => Promise.resolve(new Response())); // the service of the next test answers
    while (!(await connection.check()));
    vi.unstubAllGlobals();
  }
  notifications.clean(); // all tests share one window, and the next one would find the message of this one
  notifications.cleanQueue();
});
