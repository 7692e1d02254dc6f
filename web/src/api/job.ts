import { useQuery } from "@tanstack/react-query";
import { api, ok } from "./client";
import { keys, type Schemas } from "./queries";

/** How often a job is asked about while it goes on, in ms. */
const pause = 1500;

export const jobOver = (job: Schemas["Job"] | undefined): boolean => job?.state === "completed" || job?.state === "failed";

/** Follows a job that an answer has named until it is over. The id "" names no job. */
export function useJob(tenantId: string, id: string) {
  return useQuery({
    queryKey: keys.tenant(tenantId, "job", id),
    queryFn: ({ signal }) => ok(api.GET("/api/tenants/{tenantId}/jobs/{jobId}", { params: { path: { tenantId, jobId: id } }, signal })),
    enabled: id !== "",
    refetchInterval: (query) => (jobOver(query.state.data) ? false : pause),
  });
}
