import { read, within } from "./message";

// The part of the console that is there while no page of it is: it shows what push services
// bring, and opens the page that a notification is about. It keeps nothing and answers no request.

interface Waits extends Event {
  waitUntil: (work: Promise<unknown>) => void;
}
interface PushEvent extends Waits {
  data: { text: () => string } | null;
}
interface ClickEvent extends Waits {
  notification: Notification;
}
interface OpenWindow {
  url: string;
  focus: () => Promise<unknown>;
}
/** The part of ServiceWorkerGlobalScope (Service Workers, W3C, section 4.1) that is used; the types of workers exclude those of pages. */
interface Scope {
  addEventListener: ((type: "push", hear: (event: PushEvent) => void) => void) & ((type: "notificationclick", hear: (event: ClickEvent) => void) => void) & ((type: "install", hear: () => void) => void);
  skipWaiting: () => Promise<void>;
  registration: { showNotification: (title: string, options: NotificationOptions) => Promise<void> };
  clients: { matchAll: (options: { type: "window"; includeUncontrolled: boolean }) => Promise<readonly OpenWindow[]>; openWindow: (url: string) => Promise<unknown> };
  location: { origin: string };
}

const scope = self as unknown as Scope;

scope.addEventListener("install", () => void scope.skipWaiting()); // the newest is used at once: it has no state

scope.addEventListener("push", (event) => {
  const { title, url, ...rest } = read(event.data?.text(), scope.location.origin);
  event.waitUntil(scope.registration.showNotification(title, { ...rest, data: url }));
});

scope.addEventListener("notificationclick", (event) => {
  event.notification.close();
  const url = within(event.notification.data, scope.location.origin);
  event.waitUntil(
    (async () => {
      const open = await scope.clients.matchAll({ type: "window", includeUncontrolled: true });
      const there = open.find((w) => w.url === url);
      await (there ? there.focus() : scope.clients.openWindow(url));
    })(),
  );
});
