import { useEffect } from "react";
import { useQueryClient, type Query } from "@tanstack/react-query";
import { coalesced, followEvents } from "./follow";

// The parts of the cache that change without an act of the person.
const live: ReadonlySet<unknown> = new Set(["approvals", "dashboard", "finding", "findings", "first-steps", "inbox", "pull-requests", "repositories", "repository", "runs"]);

const young = 2_000; // ms; older answers may miss a change from before the first event

/** Whether a query shows what the events of a tenant are about. */
export const isLive = (query: Pick<Query, "queryKey">, tenantId: string): boolean => query.queryKey[0] === "tenant" && query.queryKey[1] === tenantId && live.has(query.queryKey[2]);

/** Reads lists and figures of a tenant again after changes elsewhere. A burst of changes is one reading. */
export function useTenantChanges(tenantId: string): void {
  const client = useQueryClient();
  useEffect(() => {
    let known: string | undefined;
    const read = coalesced(() => void client.invalidateQueries({ predicate: (q) => isLive(q, tenantId) }));
    const end = followEvents(`/api/tenants/${encodeURIComponent(tenantId)}/events`, "change", (version) => {
      const old = (q: Query) => isLive(q, tenantId) && q.state.data !== undefined && Date.now() - q.state.dataUpdatedAt > young;
      if (known === undefined) void client.invalidateQueries({ predicate: old });
      else if (known !== version) read.call();
      known = version;
    });
    return () => {
      end();
      read.cancel();
    };
  }, [client, tenantId]);
}
