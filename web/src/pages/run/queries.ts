import { infiniteQueryOptions, queryOptions } from "@tanstack/react-query";
import { api, ok } from "@/api/client";
import { keys } from "@/api/queries";

/** The run of a page. */
export interface RunPath {
  tenantId: string;
  repositoryId: string;
  runId: string;
}

const base = "/api/tenants/{tenantId}/repositories/{repositoryId}/review-runs/{runId}";

/** The cache key of a part of a run. */
export const runKey = (path: RunPath, part: string) => keys.tenant(path.tenantId, "run", path.runId, part);

/** Where the events of a run are. */
export function eventsOf({ tenantId, repositoryId, runId }: RunPath): string {
  return `/api/tenants/${encodeURIComponent(tenantId)}/repositories/${encodeURIComponent(repositoryId)}/review-runs/${encodeURIComponent(runId)}/events`;
}

export const runQuery = (path: RunPath) =>
  queryOptions({ queryKey: runKey(path, "detail"), queryFn: ({ signal }) => ok(api.GET(base, { params: { path: { ...path } }, signal })) });

export const outputsQuery = (path: RunPath) =>
  queryOptions({ queryKey: runKey(path, "outputs"), queryFn: ({ signal }) => ok(api.GET(`${base}/outputs`, { params: { path: { ...path } }, signal })) });

export const writesQuery = (path: RunPath) =>
  queryOptions({ queryKey: runKey(path, "writes"), queryFn: ({ signal }) => ok(api.GET(`${base}/writes`, { params: { path: { ...path } }, signal })) });

export const toolCallsQuery = (path: RunPath) =>
  queryOptions({ queryKey: runKey(path, "tool-calls"), queryFn: ({ signal }) => ok(api.GET(`${base}/tool-calls`, { params: { path: { ...path } }, signal })) });

/** The runs of static analysers that the review used. */
export const staticAnalysisQuery = ({ runId, ...path }: RunPath) =>
  queryOptions({
    queryKey: runKey({ runId, ...path }, "sast-runs"),
    queryFn: ({ signal }) => ok(api.GET("/api/tenants/{tenantId}/repositories/{repositoryId}/sast-runs", { params: { path, query: { runId } }, signal })),
  });

/** The change that the run looked at, part by part. */
export const diffQuery = (path: RunPath) =>
  infiniteQueryOptions({
    queryKey: runKey(path, "diff"),
    initialPageParam: "",
    queryFn: ({ pageParam, signal }) => ok(api.GET(`${base}/diff`, { params: { path: { ...path }, query: { limit: 100, ...(pageParam ? { cursor: pageParam } : {}) } }, signal })),
    getNextPageParam: (last) => last.nextCursor || undefined,
  });

/** The code beside the change that models saw, page by page. */
export const shownCodeQuery = (path: RunPath) =>
  infiniteQueryOptions({
    queryKey: runKey(path, "context"),
    initialPageParam: "",
    queryFn: ({ pageParam, signal }) => ok(api.GET(`${base}/context`, { params: { path: { ...path }, query: { limit: 100, ...(pageParam ? { cursor: pageParam } : {}) } }, signal })),
    getNextPageParam: (last) => last.nextCursor || undefined,
  });

/** The candidates that the run checked and does not show, page by page. */
export const droppedQuery = (path: RunPath) =>
  infiniteQueryOptions({
    queryKey: runKey(path, "dropped"),
    initialPageParam: "",
    queryFn: ({ pageParam, signal }) => ok(api.GET(`${base}/dropped`, { params: { path: { ...path }, query: { limit: 100, ...(pageParam ? { cursor: pageParam } : {}) } }, signal })),
    getNextPageParam: (last) => last.nextCursor || undefined,
  });
