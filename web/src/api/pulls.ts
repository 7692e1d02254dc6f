import { queryOptions, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { api, ok } from "./client";
import { keys, type Schemas } from "./queries";

/** A pull request by its repository and number. */
export interface PullPath {
  tenantId: string;
  repositoryId: string;
  number: string;
}

/** A pull request with its checks, rounds and cost. */
export const pullQuery = (path: PullPath) =>
  queryOptions({
    queryKey: keys.tenant(path.tenantId, "pull-requests", path.repositoryId, "one", path.number),
    queryFn: ({ signal }) => ok(api.GET("/api/tenants/{tenantId}/repositories/{repositoryId}/pull-requests/{number}", { params: { path: { ...path } }, signal })),
  });

/**
 * Asks the service to list the open pull requests of the code host, then reloads the lists. Within 30 seconds the service answers
 * from memory.
 */
export function useOpenPulls(tenantId: string, repositoryId: string, enabled: boolean) {
  const client = useQueryClient();
  return useQuery({
    queryKey: keys.tenant(tenantId, "open-pulls", repositoryId),
    queryFn: async ({ signal }) => {
      const listing = await ok(api.POST("/api/tenants/{tenantId}/repositories/{repositoryId}/pull-requests/refresh", { params: { path: { tenantId, repositoryId } }, signal }));
      const lists = { queryKey: keys.tenant(tenantId, "pull-requests", repositoryId) };
      await client.cancelQueries(lists); // a list that is read for the first time would else keep its older answer
      await client.invalidateQueries(lists);
      return listing;
    },
    enabled,
    staleTime: 30_000,
    retry: false,
  });
}

/** The head of a pull request that a person wants reviewed. */
export interface ReviewRequest {
  number: number;
  /** The completed run that reviewed the head, which is then repeated; "" if none did, or it is unknown. */
  reviewedBy: string;
}

/** Returns the request for a review of a listed pull request. */
export const reviewRequest = (p: Pick<Schemas["ListedPull"], "number" | "headSha" | "lastRun">): ReviewRequest => ({
  number: p.number,
  reviewedBy: p.lastRun?.state === "completed" && p.lastRun.headSha === p.headSha ? p.lastRun.id : "",
});

/** Requests reviews of pull requests of a repository. */
export function useReview(tenantId: string, repositoryId: string, done: (run: Schemas["ReviewRun"]) => void) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ number, reviewedBy: runId }: ReviewRequest) =>
      ok(
        runId === ""
          ? api.POST("/api/tenants/{tenantId}/repositories/{repositoryId}/pull-requests/{number}/review", { params: { path: { tenantId, repositoryId, number: String(number) } } })
          : api.POST("/api/tenants/{tenantId}/repositories/{repositoryId}/review-runs/{runId}/rerun", { params: { path: { tenantId, repositoryId, runId } } }),
      ),
    onSuccess: (run) => {
      done(run);
      for (const part of ["pull-requests", "repository"]) void client.invalidateQueries({ queryKey: keys.tenant(tenantId, part, repositoryId) });
      for (const part of ["runs", "first-steps"]) void client.invalidateQueries({ queryKey: keys.tenant(tenantId, part) });
    },
  });
}
