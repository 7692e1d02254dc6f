import { afterEach, expect, test, vi } from "vitest";
import { answer, sender } from "./client";
import { Problem } from "./problem";
import { Session } from "./session";

const me = { id: "u1", csrfToken: "token-1" };
const problem = (status: number, code: string, more: object = {}) =>
  new Response(JSON.stringify({ status, code, title: "No", detail: "Not so.", ...more }), { status, headers: { "Content-Type": "application/problem+json", "X-Request-Id": "req-1" } });
const fine = () => new Response("{}", { status: 200 });

/** Lets a client send to a service that gives these answers in turn. */
function world(...answers: Response[]) {
  const seen: { method: string; csrf: string | null; body: string }[] = [];
  vi.stubGlobal("fetch", async (request: Request) => {
    seen.push({ method: request.method, csrf: request.headers.get("X-CSRF-Token"), body: await request.text() });
    const next = answers.shift();
    if (!next) throw new TypeError("Failed to fetch");
    return next;
  });
  const session = new Session();
  const who = vi.fn(() => Promise.resolve({ ...me, csrfToken: who.mock.calls.length > 1 ? "token-2" : "token-1" } as never));
  return { seen, session, who, send: sender(session, who) };
}

const put = () => new Request("http://localhost/api/x", { method: "PUT", body: "{}" });

afterEach(() => vi.unstubAllGlobals());

test("requests that change something carry the token of the session, reads do not", async () => {
  const w = world(fine(), fine());
  await w.send(put());
  await w.send(new Request("http://localhost/api/x"));
  expect(w.seen.map((s) => s.csrf)).toEqual(["token-1", null]);
});

test("a request of an ended session waits for the next sign-in, and is then sent with the same body", async () => {
  const w = world(problem(401, "unauthenticated"), fine());
  w.session.take(me);
  const sent = w.send(put());
  await vi.waitFor(() => expect(w.session.ended()).toBe(true));
  expect(w.seen).toHaveLength(1);
  w.session.take({ ...me, csrfToken: "token-9" });
  w.session.renew();
  expect((await sent).status).toBe(200);
  expect(w.seen[1]).toEqual({ method: "PUT", csrf: "token-9", body: "{}" });
  expect(w.session.ended()).toBe(false);
});

test("a refusal that asks for another way to sign in is shown immediately", async () => {
  const w = world(problem(401, "sign_in_with_provider"));
  expect((await w.send(put())).status).toBe(401);
  expect(w.session.ended()).toBe(false);
});

test("a token that is too old is asked for again, once", async () => {
  const w = world(problem(403, "csrf"), problem(403, "csrf"));
  expect((await w.send(put())).status).toBe(403);
  expect(w.seen.map((s) => s.csrf)).toEqual(["token-1", "token-2"]);
});

test("another refusal is not repeated", async () => {
  const w = world(problem(403, "forbidden"));
  expect((await w.send(put())).status).toBe(403);
  expect(w.seen).toHaveLength(1);
});

test("a service that does not answer is a problem of its own", async () => {
  await expect(world().send(put())).rejects.toMatchObject({ status: 0, code: "no_answer", passing: true });
});

test("a problem has its code, its fields and the id of its request", async () => {
  const response = problem(422, "invalid", { errors: [{ pointer: "/a/0", message: "must be there" }] });
  const said = await answer(Promise.resolve({ error: await response.clone().json(), response })).catch((e: unknown) => e);
  expect(said).toBeInstanceOf(Problem);
  expect(said).toMatchObject({ status: 422, code: "invalid", message: "Not so.", fields: [{ pointer: "/a/0", message: "must be there" }], requestId: "req-1" });
});

test("a refusal without a problem document is still a refusal", async () => {
  const response = new Response("<h1>Bad gateway</h1>", { status: 502 });
  await expect(answer(Promise.resolve({ error: "<h1>", response }))).rejects.toMatchObject({ status: 502, code: "status_502", passing: true, fields: [] });
});

test("an answer has its version, and whether a feature fills it", async () => {
  const response = new Response("{}", { headers: { ETag: '"v7"', "X-Filled": "false" } });
  expect(await answer(Promise.resolve({ data: {}, response }))).toEqual({ data: {}, etag: '"v7"', filled: false });
});

test("requests of one person do not continue as another person", () => {
  const session = new Session();
  expect(session.take(me)).toBe("same");
  expect(session.take({ id: "u2", csrfToken: "theirs" })).toBe("other");
  expect(session.csrf).toBe("token-1");
});

test("requests carry X-Assay-Unattended until a person touches the page again", async () => {
  const marks: (string | null)[] = [];
  vi.stubGlobal("fetch", (request: Request) => {
    marks.push(request.headers.get("X-Assay-Unattended"));
    return Promise.resolve(fine());
  });
  const session = new Session();
  session.take(me);
  const send = sender(session);
  const read = () => send(new Request("http://localhost/api/x"));
  window.dispatchEvent(new Event("keydown"));
  await read();
  const now = vi.spyOn(Date, "now").mockReturnValue(Date.now() + 61_000);
  await read();
  await send(put());
  window.dispatchEvent(new Event("pointermove"));
  await read();
  now.mockRestore();
  expect(marks).toEqual([null, "true", "true", null]);
});

test("a reading without an answer ends after a minute; a change, and what the service takes minutes for, do not", async () => {
  vi.useFakeTimers();
  const asked = (init: RequestInit) =>
    new Promise<Response>((_, fail) => {
      init.signal?.addEventListener("abort", () => fail(new DOMException("aborted", "AbortError")));
    });
  vi.stubGlobal("fetch", (request: Request | URL, init: RequestInit = {}) => (request instanceof Request ? asked(init) : Promise.resolve(fine())));
  const session = new Session();
  session.take(me);
  const ended: string[] = [];
  for (const request of [new Request("http://localhost/api/x"), put(), new Request("http://localhost/api/instance/audit/verify")]) {
    sender(session)(request).catch((e: unknown) => ended.push(`${request.method} ${e instanceof Problem ? e.code : "other"}`));
  }
  await vi.advanceTimersByTimeAsync(59_000);
  expect(ended).toEqual([]);
  await vi.advanceTimersByTimeAsync(3_600_000);
  expect(ended).toEqual(["GET no_answer"]);
  vi.useRealTimers();
});
