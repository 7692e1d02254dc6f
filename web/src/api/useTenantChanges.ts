import { useEffect } from "react";
import { useQueryClient, type Query } from "@tanstack/react-query";
import { connection } from "./connection";
import { paced } from "./paced";
import { followShared } from "./share";

// The parts of the cache that change without an act of the person.
const live: ReadonlySet<unknown> = new Set(["approvals", "dashboard", "finding", "findings", "first-steps", "inbox", "pull-requests", "repositories", "repository", "runs"]);

const young = 2_000; // ms; an answer may miss a change from before the first event
const between = 30_000; // ms between two readings while nothing new is heard

/** The event that the tenant's stream had when the service made this page. */
const pageEvent = (): string => JSON.stringify({ version: document.querySelector<HTMLMetaElement>("meta[name=assay-version]")?.content ?? "" });

/** isLive reports whether a query shows what the events of a tenant are about. */
export const isLive = (query: Pick<Query, "queryKey">, tenantId: string): boolean => query.queryKey[0] === "tenant" && query.queryKey[1] === tenantId && live.has(query.queryKey[2]);

/** Reads lists and figures of a tenant again after changes elsewhere. A burst of changes is one reading. */
export function useTenantChanges(tenantId: string): void {
  const client = useQueryClient();
  useEffect(() => {
    let known = pageEvent(); // older than every answer of the page; of another tenant it never equals an event
    let heard = -Infinity;
    const mine = (q: Query) => isLive(q, tenantId) && q.state.data !== undefined;
    const readAll = () => void client.invalidateQueries({ predicate: mine });
    const readOld = () => void client.invalidateQueries({ predicate: (q) => mine(q) && Date.now() - q.state.dataUpdatedAt > young }, { cancelRefetch: false });
    const read = paced(readAll);
    const end = followShared({
      address: `/api/tenants/${encodeURIComponent(tenantId)}/events`,
      event: "change",
      hear: (version) => {
        if (known === version) return; // nothing has changed since the page was made, or the service repeats the last event
        known = version;
        heard = Date.now();
        read.call();
      },
    });
    // Some changes send no event, and the stream may not work. This also shows that the session has ended.
    const timer = setInterval(() => document.hidden || connection.lost() || Date.now() - heard < between || readOld(), between);
    const shown = () => document.hidden || readOld();
    document.addEventListener("visibilitychange", shown);
    return () => {
      end();
      clearInterval(timer);
      document.removeEventListener("visibilitychange", shown);
      read.cancel();
    };
  }, [client, tenantId]);
}
