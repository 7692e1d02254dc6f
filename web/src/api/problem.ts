import { isOutage } from "./connection";
import type { components } from "./schema";

/** The error of one field, by its JSON pointer (RFC 6901). */
export type FieldProblem = components["schemas"]["Field"];

/** A refusal of the service (RFC 9457), or the lack of an answer. */
export class Problem extends Error {
  /** HTTP status; 0: there was no answer. */
  readonly status: number;
  /** Stable name, for code; never the words. */
  readonly code: string;
  readonly title: string;
  readonly fields: readonly FieldProblem[];
  /** The id by which the operator finds the request in the log; "" if there is no id. */
  readonly requestId: string;
  /** In seconds, where the service says when to try again. */
  readonly retryAfter: number | undefined;

  constructor(of: { status: number; code: string; title?: string; detail: string; fields?: readonly FieldProblem[]; requestId?: string; retryAfter?: number | undefined }) {
    super(of.detail);
    this.name = "Problem";
    this.status = of.status;
    this.code = of.code;
    this.title = of.title ?? "";
    this.fields = of.fields ?? [];
    this.requestId = of.requestId ?? "";
    this.retryAfter = of.retryAfter;
  }

  /** The problem without the errors of some fields, which are shown elsewhere. */
  without(fields: readonly FieldProblem[]): Problem {
    return new Problem({ status: this.status, code: this.code, title: this.title, detail: this.message, fields: this.fields.filter((f) => !fields.includes(f)), requestId: this.requestId, retryAfter: this.retryAfter });
  }

  /** Whether the requested object does not exist for this person. */
  get absent(): boolean {
    return this.status === 404;
  }

  /** outage reports whether the service may be down. */
  get outage(): boolean {
    return isOutage(this.status);
  }

  /** Whether another attempt may help without any other action. */
  get passing(): boolean {
    return this.status === 0 || this.status === 429 || this.status >= 502;
  }
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}

function text(value: unknown): string {
  return typeof value === "string" ? value : "";
}

/** Reads a refusal. A proxy in front may answer in other forms, so no member is taken for granted. */
export function readProblem(response: Response, body: unknown): Problem {
  const said = isRecord(body) ? body : {};
  const fields = Array.isArray(said["errors"]) ? said["errors"].filter(isRecord).map((f) => ({ pointer: text(f["pointer"]), message: text(f["message"]) })) : [];
  const wait = Number(response.headers.get("Retry-After"));
  return new Problem({
    status: response.status,
    code: text(said["code"]) || `status_${response.status}`,
    title: text(said["title"]),
    detail: text(said["detail"]) || text(said["title"]),
    fields,
    requestId: text(said["requestId"]) || (response.headers.get("X-Request-Id") ?? ""),
    retryAfter: wait > 0 ? wait : undefined,
  });
}

/** Converts any error to a problem. */
export function asProblem(error: unknown): Problem {
  if (error instanceof Problem) return error;
  return new Problem({ status: -1, code: "console", detail: error instanceof Error ? error.message : String(error) });
}

/** Reports whether what a page asks for does not exist, or the person may not see it. */
export const isAbsent = (query: { data: unknown; error: unknown }): boolean => query.data === undefined && query.error !== null && asProblem(query.error).absent;
