import type { ReactNode } from "react";
import { Anchor } from "@mantine/core";

/** The page of a review run. Check runs on code hosts link to the same address. */
export function RunLink({ tenantId, repositoryId, runId, children }: { tenantId: string; repositoryId: string; runId: string; children: ReactNode }) {
  return <Anchor href={`/t/${tenantId}/repositories/${repositoryId}/runs/${runId}`}>{children}</Anchor>;
}
