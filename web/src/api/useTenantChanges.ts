import { useEffect } from "react";
import { useQueryClient, type Query } from "@tanstack/react-query";
import { connection } from "./connection";
import { paced } from "./paced";
import { followShared } from "./share";

// The parts of the cache that change without an act of the person.
const live: ReadonlySet<unknown> = new Set(["approvals", "dashboard", "finding", "findings", "first-steps", "inbox", "pull-requests", "repositories", "repository", "runs"]);

const young = 2_000; // ms; older answers may miss a change from before the first event
const between = 30_000; // ms between two readings without a stream

/** isLive reports whether a query shows what the events of a tenant are about. */
export const isLive = (query: Pick<Query, "queryKey">, tenantId: string): boolean => query.queryKey[0] === "tenant" && query.queryKey[1] === tenantId && live.has(query.queryKey[2]);

/** Reads lists and figures of a tenant again after changes elsewhere. A burst of changes is one reading. */
export function useTenantChanges(tenantId: string): void {
  const client = useQueryClient();
  useEffect(() => {
    let known: string | undefined;
    const read = paced(() => void client.invalidateQueries({ predicate: (q) => isLive(q, tenantId) }));
    const readOld = () =>
      void client.invalidateQueries({ predicate: (q) => isLive(q, tenantId) && q.state.data !== undefined && Date.now() - q.state.dataUpdatedAt > young }, { cancelRefetch: false });
    const end = followShared(`/api/tenants/${encodeURIComponent(tenantId)}/events`, "change", (version) => {
      if (known === undefined) readOld();
      else if (known !== version) read.call();
      known = version;
    });
    const timer = end ? undefined : setInterval(() => document.hidden || connection.lost() || readOld(), between);
    const shown = () => document.hidden || readOld();
    document.addEventListener("visibilitychange", shown);
    return () => {
      end?.();
      clearInterval(timer);
      document.removeEventListener("visibilitychange", shown);
      read.cancel();
    };
  }, [client, tenantId]);
}
