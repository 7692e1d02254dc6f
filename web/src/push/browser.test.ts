import { afterEach, expect, test, vi } from "vitest";
import { ability, bytesOf, NotSubscribed, remembered, subscribe, unsubscribe, workerAt } from "./browser";

const key = "BNcRdreALRFXTkOOUHK1EtK2wtaz5Ry4YfYCA_0QTpQtUbVlUls0VJXg7A8u-Ts1XbjhazAkj7I99e8QcYP7DkM";

afterEach(() => {
  localStorage.clear();
  vi.unstubAllGlobals();
});

/** A browser whose person says yes or no, and whose push service gives a subscription or not. */
function browser(says: NotificationPermission, gives = true, before?: string) {
  const ended: string[] = [];
  const asked: unknown[] = [];
  const made = (applicationServerKey: Uint8Array) => ({
    options: { applicationServerKey: applicationServerKey.buffer },
    toJSON: () => ({ endpoint: "https://fcm.googleapis.com/fcm/send/x", keys: { p256dh: "p", auth: "a" } }),
    unsubscribe: () => Promise.resolve(ended.push("ended") > 0),
  });
  let has = before === undefined ? null : made(bytesOf(before));
  const pushManager = {
    getSubscription: () => Promise.resolve(has),
    subscribe: (options: { applicationServerKey: Uint8Array }) => {
      asked.push(options);
      if (!gives) return Promise.reject(new DOMException("no push service", "AbortError"));
      has = made(options.applicationServerKey);
      return Promise.resolve(has);
    },
  };
  const registration = { active: {}, pushManager };
  vi.stubGlobal("Notification", { permission: says, requestPermission: () => Promise.resolve(says) });
  vi.stubGlobal("navigator", { serviceWorker: { register: (at: string) => (at === workerAt ? Promise.resolve(registration) : Promise.reject(new Error(at))), getRegistration: () => Promise.resolve(registration) } });
  return { ended, asked };
}

const of = (more: object) => ({ isSecureContext: true, navigator: { serviceWorker: {} }, PushManager: {}, Notification: { permission: "default" }, ...more }) as unknown as Window & typeof globalThis;

test.each([
  ["able", of({})],
  ["insecure", of({ isSecureContext: false })],
  ["unsupported", of({ navigator: {} })],
  ["denied", of({ Notification: { permission: "denied" } })],
])("a browser can be %s", (want, has) => expect(ability(has)).toBe(want));

test("the service stores the subscription, and the browser remembers it for the tenant only", async () => {
  const { asked } = browser("granted");
  const keep = vi.fn(() => Promise.resolve("psh_1"));
  await subscribe("ten_1", key, keep);
  expect(keep).toHaveBeenCalledWith({ endpoint: "https://fcm.googleapis.com/fcm/send/x", keys: { p256dh: "p", auth: "a" } });
  expect(asked).toEqual([{ userVisibleOnly: true, applicationServerKey: bytesOf(key) }]);
  expect(bytesOf(key).length).toBe(65);
  expect([remembered("ten_1"), remembered("ten_2")]).toEqual(["psh_1", ""]);
});

test("a subscription that is bound to another key is ended before", async () => {
  const { ended } = browser("granted", true, key.replace("BN", "BM"));
  await subscribe("ten_1", key, () => Promise.resolve("psh_1"));
  expect(ended).toEqual(["ended"]);
});

test.each([
  ["denied", "denied", true],
  ["dismissed", "default", true],
  ["refused", "granted", false],
] as const)("where it is %s, the service hears nothing", async (why, says, gives) => {
  browser(says, gives);
  const keep = vi.fn(() => Promise.resolve("psh_1"));
  await expect(subscribe("ten_1", key, keep)).rejects.toEqual(new NotSubscribed(why));
  expect(keep).not.toHaveBeenCalled();
  expect(remembered("ten_1")).toBe("");
});

test("the browser's subscription ends with the last tenant", async () => {
  const { ended } = browser("granted");
  await subscribe("ten_1", key, () => Promise.resolve("psh_1"));
  await subscribe("ten_2", key, () => Promise.resolve("psh_2"));
  await unsubscribe("ten_1");
  expect(ended).toEqual([]);
  await unsubscribe("ten_2");
  expect(ended).toEqual(["ended"]);
});
