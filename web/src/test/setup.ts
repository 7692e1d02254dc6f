import { notifications } from "@mantine/notifications";
import { cleanup, configure } from "@testing-library/react";
import { afterEach } from "vitest";

configure({ asyncUtilTimeout: 10_000 }); // the machine may be busy
afterEach(() => {
  cleanup();
  notifications.clean(); // all tests share one window, and the next one would find the message of this one
  notifications.cleanQueue();
});
