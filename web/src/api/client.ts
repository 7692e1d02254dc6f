import createClient from "openapi-fetch";
import { isAttended } from "./attended";
import { connection, isOutage } from "./connection";
import { Problem, readProblem } from "./problem";
import type { components, paths } from "./schema";
import { session, type Session } from "./session";

const changes = (method: string): boolean => !["GET", "HEAD"].includes(method);

const longest = 60_000; // ms until the service begins to answer a reading
const slow = /\/audit\/verify$/; // the service may take minutes for these

/**
 * Sends a request. A missing answer, or one that a proxy gave for the service, makes the console ask whether the service is there.
 * After a minute without input, requests carry X-Assay-Unattended, so that they do not renew the session.
 */
async function send(request: Request): Promise<Response> {
  if (!isAttended()) request.headers.set("X-Assay-Unattended", "true");
  const late = new AbortController();
  const bounded = !changes(request.method) && !slow.test(new URL(request.url).pathname);
  const timer = bounded ? setTimeout(() => late.abort(), longest) : undefined;
  try {
    const response = await fetch(request, { signal: AbortSignal.any([request.signal, late.signal]) });
    if (isOutage(response.status)) await connection.failed();
    else if (response.status < 502) connection.answered();
    return response;
  } catch (error) {
    if (request.signal.aborted) throw error;
    await connection.failed();
    throw new Problem({ status: 0, code: "no_answer", detail: "" });
  } finally {
    clearTimeout(timer);
  }
}

/** Asks for the signed-in person. undefined: signed out. */
export async function askWho(signal?: AbortSignal): Promise<components["schemas"]["Me"] | undefined> {
  const response = await send(new Request(new URL("/api/me", location.origin), { headers: { Accept: "application/json" }, cache: "no-store", signal: signal ?? null }));
  if (response.status === 401) return undefined;
  const body: unknown = await response.json().catch(() => undefined);
  if (!response.ok) throw readProblem(response, body);
  return body as components["schemas"]["Me"];
}

async function codeOf(response: Response): Promise<string> {
  const said: unknown = await response
    .clone()
    .json()
    .catch(() => undefined);
  return readProblem(response, said).code;
}

/**
 * Sends a request with what the service wants of a browser. A session that has
 * ended is waited for and the request then sent again, so that nothing that was
 * entered is lost; a token that is too old is asked for again, once.
 */
export function sender(own: Session, who: typeof askWho = askWho): (request: Request) => Promise<Response> {
  const refresh = async (signal: AbortSignal) => {
    const me = await who(signal);
    if (me) own.take(me);
    return me;
  };
  const once = async (request: Request) => {
    if (changes(request.method)) {
      if (own.csrf === "") await refresh(request.signal);
      request.headers.set("X-CSRF-Token", own.csrf);
    }
    return send(request);
  };
  return async (request) => {
    const [second, third] = [request.clone(), request.clone()];
    let response = await once(request);
    // Other codes require another way of signing in, which a session that continues may need.
    if (response.status === 401 && (await codeOf(response)) === "unauthenticated") {
      await own.end();
      request.signal.throwIfAborted();
      response = await once(second);
    }
    if (response.status === 403 && changes(request.method) && (await codeOf(response)) === "csrf" && (await refresh(request.signal))) return once(third);
    return response;
  };
}

/** The interface of the service, typed by its description. */
export const api = createClient<paths>({ baseUrl: location.origin, fetch: sender(session) });

/** An answer of the service with what its headers say. */
export interface Answer<T> {
  data: T;
  /** For If-Match; "" if the answer has no ETag. */
  etag: string;
  /** false: no part of the service writes yet what was asked for. */
  filled: boolean;
}

type Call<T> = Promise<{ data?: T; error?: unknown; response: Response }>;

/** Waits for a call and throws a {@link Problem} where it was refused. */
export async function answer<T>(call: Call<T>): Promise<Answer<T>> {
  const { data, error, response } = await call;
  if (!response.ok) throw readProblem(response, error);
  return { data: data as T, etag: response.headers.get("ETag") ?? "", filled: response.headers.get("X-Filled") !== "false" };
}

/** {@link answer} for who wants the body alone. */
export async function ok<T>(call: Call<T>): Promise<T> {
  return (await answer(call)).data;
}
