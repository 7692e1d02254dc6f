import { runSearch, type Tab } from "./tabs";

const repository = "/t/$tenantId/repositories/$repositoryId" as const;

/** Makes the places around a run, for links. Paths of files are text from outside: the router encodes them. */
export function linksOf(tenantId: string, repositoryId: string, runId: string) {
  return {
    repository: { to: repository, params: { tenantId, repositoryId } } as const,
    pull: (number: number) => ({ to: `${repository}/pulls/$number`, params: { tenantId, repositoryId, number: String(number) } }) as const,
    run: (id: string) => ({ to: `${repository}/runs/$runId`, params: { tenantId, repositoryId, runId: id } }) as const,
    tab: (tab: Tab, file: string) => ({ to: `${repository}/runs/$runId`, params: { tenantId, repositoryId, runId }, search: runSearch({ tab, file }) }) as const,
    finding: (findingId: string) => ({ to: `${repository}/findings/$findingId`, params: { tenantId, repositoryId, findingId } }) as const,
    suppression: (id: string) => ({ to: `${repository}/records/$list`, params: { tenantId, repositoryId, list: "suppressions" }, search: { id } }) as const,
    changes: (file: string) => ({ to: `${repository}/runs/$runId`, params: { tenantId, repositoryId, runId }, search: { tab: "diff", file } }) as const,
  };
}

/** Places around one run. */
export type RunLinks = ReturnType<typeof linksOf>;
