import { queryOptions } from "@tanstack/react-query";
import { api, ok } from "@/api/client";
import { keys, type Schemas } from "@/api/queries";

export type DryRun = Schemas["DryRun"];
export type PullResult = Schemas["PullResult"];
export type Tried = Schemas["TriedFinding"];

/** Where a dry run is. */
export interface DryRunPath {
  tenantId: string;
  repositoryId: string;
  dryRunId: string;
}

/** How often a dry run is read while it goes on, in ms. */
export const dryRunPause = 3000;

/** Whether a dry run is under way. */
export const dryRunGoesOn = (state: DryRun["state"]): boolean => state === "queued" || state === "running";

/** How many of its pull requests have ended, of how many. */
export function progressOf(d: DryRun): { over: number; of: number } {
  const pulls = d.result?.pullRequests ?? [];
  const of = Math.max(pulls.length, d.pullRequests.length);
  return { over: pulls.filter((p) => p.state === "completed" || p.state === "failed").length, of };
}

/** One dry run, read again while it goes on. */
export const dryRunQuery = (path: DryRunPath) =>
  queryOptions({
    queryKey: keys.tenant(path.tenantId, "dry-run", path.repositoryId, path.dryRunId),
    queryFn: ({ signal }) => ok(api.GET("/api/tenants/{tenantId}/repositories/{repositoryId}/dry-runs/{dryRunId}", { params: { path: { ...path } }, signal })),
    refetchInterval: (query) => (query.state.data && dryRunGoesOn(query.state.data.state) ? dryRunPause : false),
  });
