import { afterEach, expect, test, vi } from "vitest";

afterEach(() => {
  vi.unstubAllGlobals();
  vi.resetModules();
});

/** A service worker in the place of this window, with pages that are open. */
async function worker(open: string[]) {
  const hears = new Map<string, (event: object) => void>();
  const did: string[] = [];
  const work: Promise<unknown>[] = [];
  vi.stubGlobal("self", {
    addEventListener: (type: string, hear: (event: object) => void) => hears.set(type, hear),
    skipWaiting: () => Promise.resolve(),
    registration: { showNotification: (title: string, options: object) => Promise.resolve(did.push(`show ${title} ${JSON.stringify(options)}`)) },
    clients: { matchAll: () => Promise.resolve(open.map((url) => ({ url, focus: () => Promise.resolve(did.push(`focus ${url}`)) }))), openWindow: (url: string) => Promise.resolve(did.push(`open ${url}`)) },
    location: { origin: "https://assay.example.com" },
  });
  await import("./worker");
  return async (type: string, event: object) => {
    hears.get(type)?.({ ...event, waitUntil: (w: Promise<unknown>) => work.push(w) });
    await Promise.all(work);
    return did.splice(0);
  };
}

test("a message is shown, and a click opens its page", async () => {
  const happens = await worker([]);
  expect(await happens("push", { data: { text: () => '{"eventId":"evt_1","title":"A review failed","body":"octo/repo#7","url":"https://assay.example.com/t/ten_1/runs"}' } })).toEqual([
    'show A review failed {"body":"octo/repo#7","tag":"evt_1","data":"https://assay.example.com/t/ten_1/runs"}',
  ]);
  expect(await happens("push", { data: null })).toEqual(['show assay {"body":"","tag":"","data":"https://assay.example.com/"}']);
  const close = vi.fn();
  expect(await happens("notificationclick", { notification: { data: "https://assay.example.com/t/ten_1/runs", close } })).toEqual(["open https://assay.example.com/t/ten_1/runs"]);
  expect(close).toHaveBeenCalled();
});

test("a page that is open already is shown", async () => {
  const happens = await worker(["https://assay.example.com/", "https://assay.example.com/t/ten_1/runs"]);
  expect(await happens("notificationclick", { notification: { data: "https://assay.example.com/t/ten_1/runs", close: () => undefined } })).toEqual(["focus https://assay.example.com/t/ten_1/runs"]);
});

test("a click leads to no other origin", async () => {
  const happens = await worker([]);
  expect(await happens("notificationclick", { notification: { data: "https://evil.example/", close: () => undefined } })).toEqual(["open https://assay.example.com/"]);
});
