import { queryOptions } from "@tanstack/react-query";
import { answer, api, askWho, ok } from "./client";
import type { components } from "./schema";
import { session } from "./session";

export type Schemas = components["schemas"];

/** Keys of the cache: everything of a tenant begins with its id, so that it can be dropped at once. */
export const keys = {
  me: ["me"] as const,
  tenant: (tenantId: string, ...rest: unknown[]) => ["tenant", tenantId, ...rest] as const,
};

const minute = 60_000;

/** The signed-in person; undefined: signed out. */
export const meQuery = queryOptions({
  queryKey: keys.me,
  queryFn: async ({ signal }) => {
    const me = await askWho(signal);
    if (me) session.take(me);
    return me ?? null;
  },
  staleTime: 5 * minute,
});

export const myTenantsQuery = queryOptions({
  queryKey: ["me", "tenants"],
  queryFn: ({ signal }) => ok(api.GET("/api/me/tenants", { signal })),
  staleTime: minute,
});

/** The ways to open tenants that are closed in this session. */
export const closedTenantsQuery = queryOptions({
  queryKey: ["me", "closed-tenants"],
  queryFn: ({ signal }) => ok(api.GET("/api/me/closed-tenants", { signal })),
  staleTime: minute,
});

/** The person's permissions in a tenant. They decide what is shown; the service enforces them. */
export const accessQuery = (tenantId: string) =>
  queryOptions({
    queryKey: keys.tenant(tenantId, "access"),
    queryFn: ({ signal }) => ok(api.GET("/api/tenants/{tenantId}/access", { params: { path: { tenantId } }, signal })),
    staleTime: minute,
  });

export const dashboardQuery = (tenantId: string) =>
  queryOptions({
    queryKey: keys.tenant(tenantId, "dashboard"),
    queryFn: ({ signal }) => ok(api.GET("/api/tenants/{tenantId}/dashboard", { params: { path: { tenantId } }, signal })),
  });

/** One part of the tenant's repositories. */
export const readRepositories = (tenantId: string, filter: { name?: string; state?: "active" | "disconnected"; connectionId?: string }, cursor: string | undefined, signal: AbortSignal) =>
  answer(api.GET("/api/tenants/{tenantId}/repositories", { params: { path: { tenantId }, query: { ...filter, ...(cursor ? { cursor } : {}), limit: 50 } }, signal }));

export const manages = (access: Schemas["Access"]): boolean => access.permissions.includes("tenant:manage");
