/** The browser's support of notifications, before the person has requested them. */
export type Ability = "unsupported" | "insecure" | "denied" | "able";

/** Where the service worker is. It is part of the build, under a name that stays: a registration is bound to it. */
export const workerAt = "/assets/console/push.js";

const place = (tenantId: string) => `assay-push-${tenantId}`;

export function ability(of: Window & typeof globalThis = window): Ability {
  if (!of.isSecureContext) return "insecure";
  if (!("serviceWorker" in of.navigator) || !("PushManager" in of) || !("Notification" in of)) return "unsupported";
  return of.Notification.permission === "denied" ? "denied" : "able";
}

/** The id of this browser's subscription in the tenant, as it remembers it; "" without one. */
export function remembered(tenantId: string): string {
  try {
    return localStorage.getItem(place(tenantId)) ?? "";
  } catch {
    return ""; // browsers may forbid storage
  }
}

function remember(tenantId: string, id: string): void {
  try {
    if (id === "") localStorage.removeItem(place(tenantId));
    else localStorage.setItem(place(tenantId), id);
  } catch {
    // The page then shows notifications as off, although the list has the subscription.
  }
}

const others = (tenantId: string): boolean => {
  try {
    return Object.keys(localStorage).some((k) => k.startsWith(place("")) && k !== place(tenantId));
  } catch {
    return false;
  }
};

/** The bytes of a key in base64url. */
export function bytesOf(key: string): Uint8Array<ArrayBuffer> {
  const plain = atob(key.replaceAll("-", "+").replaceAll("_", "/"));
  return Uint8Array.from(plain, (c) => c.charCodeAt(0));
}

const same = (a: ArrayBuffer | null | undefined, b: Uint8Array): boolean => a !== null && a !== undefined && a.byteLength === b.byteLength && new Uint8Array(a).every((v, i) => v === b[i]);

/** A registration whose worker runs: without one a browser refuses to subscribe. */
async function worker(): Promise<ServiceWorkerRegistration> {
  const registration = await navigator.serviceWorker.register(workerAt);
  const coming = registration.installing ?? registration.waiting;
  if (!registration.active && coming)
    await new Promise<void>((done, fail) => {
      const look = () => (coming.state === "activated" ? done() : coming.state === "redundant" ? fail(new Error("the service worker could not be installed")) : undefined);
      coming.addEventListener("statechange", look);
      look();
    });
  return registration;
}

/** What the service wants of a subscription. */
export interface Subscription {
  endpoint: string;
  keys: { p256dh: string; auth: string };
}

/** Why a browser was not subscribed, where nothing is wrong with the service. */
export class NotSubscribed extends Error {
  readonly why: "denied" | "dismissed" | "refused";
  constructor(why: "denied" | "dismissed" | "refused") {
    super(why);
    this.why = why;
  }
}

/**
 * Asks the person, and then the browser's push service, for a subscription bound to the key of
 * the instance. `keep` hands it to the service and returns its id there.
 */
export async function subscribe(tenantId: string, vapidPublicKey: string, keep: (subscription: Subscription) => Promise<string>): Promise<void> {
  const said = await Notification.requestPermission();
  if (said !== "granted") throw new NotSubscribed(said === "denied" ? "denied" : "dismissed");
  const key = bytesOf(vapidPublicKey);
  const { pushManager } = await worker();
  const before = await pushManager.getSubscription();
  if (before && !same(before.options.applicationServerKey, key)) await before.unsubscribe(); // of an instance that was here before
  let made: PushSubscriptionJSON;
  try {
    made = (await pushManager.subscribe({ userVisibleOnly: true, applicationServerKey: key })).toJSON();
  } catch {
    throw new NotSubscribed("refused"); // the browser's push service: it says no more than that
  }
  remember(tenantId, await keep({ endpoint: made.endpoint ?? "", keys: { p256dh: made.keys?.["p256dh"] ?? "", auth: made.keys?.["auth"] ?? "" } }));
}

/** Forgets the subscription of the tenant; the browser's own ends where no other tenant uses it. */
export async function unsubscribe(tenantId: string): Promise<void> {
  remember(tenantId, "");
  if (others(tenantId)) return;
  const registration = await navigator.serviceWorker.getRegistration(workerAt);
  await (await registration?.pushManager.getSubscription())?.unsubscribe();
}
