import type { Answer } from "@/api/client";
import { answer, api, ok } from "@/api/client";
import { keys, type Schemas } from "@/api/queries";
import type { Part } from "@/ui/useListing";
import type { AuditSearch } from "./search";

export type Entry = Schemas["LogEntry"];
export type Report = Schemas["LogReport"];

/** A log: where it is read, verified and exported. */
export interface Source {
  key: readonly unknown[];
  read: (filter: AuditSearch, cursor: string | undefined, signal: AbortSignal) => Promise<Answer<Part<Entry>>>;
  verify: (checkpoint: string) => Promise<Report>;
  exportAt: (format: "jsonl" | "csv") => string;
}

const asked = (checkpoint: string) => (checkpoint.trim() === "" ? {} : { checkpoint: base64(checkpoint.trim() + "\n") });

/** Text as base 64 of its UTF-8, because a signed head has a dash that is not ASCII. */
export function base64(text: string): string {
  return btoa(String.fromCharCode(...new TextEncoder().encode(text)));
}

/** The log of a tenant. */
export const tenantLog = (tenantId: string): Source => ({
  key: keys.tenant(tenantId, "audit"),
  read: (filter, cursor, signal) => answer(api.GET("/api/tenants/{tenantId}/audit", { params: { path: { tenantId }, query: { ...filter, ...(cursor ? { cursor } : {}) } }, signal })),
  verify: (checkpoint) => ok(api.GET("/api/tenants/{tenantId}/audit/verify", { params: { path: { tenantId }, query: asked(checkpoint) } })),
  exportAt: (format) => `/api/tenants/${encodeURIComponent(tenantId)}/audit/export?format=${format}`,
});

/** The log of the instance. */
export const instanceLog: Source = {
  key: ["instance", "audit"],
  read: (filter, cursor, signal) => answer(api.GET("/api/instance/audit", { params: { query: { ...filter, ...(cursor ? { cursor } : {}) } }, signal })),
  verify: (checkpoint) => ok(api.GET("/api/instance/audit/verify", { params: { query: asked(checkpoint) } })),
  exportAt: (format) => `/api/instance/audit/export?format=${format}`,
};
