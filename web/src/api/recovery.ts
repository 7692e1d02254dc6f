import type { QueryClient } from "@tanstack/react-query";
import { connection } from "./connection";

/** recoverQueries reads everything on the page that failed or is stale when the service answers again, and then calls back. Changes are never repeated. */
export function recoverQueries(client: QueryClient, back: () => void, line = connection): () => void {
  return line.subscribe(() => {
    if (line.lost()) return;
    void client.refetchQueries({ type: "active", predicate: (q) => q.state.error !== null || q.isStale() });
    back();
  });
}
