import type { ReactNode } from "react";
import { PageLink } from "./links";

/** The page of a review run. Check runs on code hosts link to the same address. */
export function RunLink({ tenantId, repositoryId, runId, tab, children }: { tenantId: string; repositoryId: string; runId: string; tab?: "approval" | undefined; children: ReactNode }) {
  return (
    <PageLink to="/t/$tenantId/repositories/$repositoryId/runs/$runId" params={{ tenantId, repositoryId, runId }} search={tab ? { tab } : {}}>
      {children}
    </PageLink>
  );
}
