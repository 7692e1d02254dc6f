import type { ReactNode } from "react";
import type { Schemas } from "@/api/queries";
import { PageLink } from "./links";

const pages = {
  provider: "/t/$tenantId/connections",
  tracker: "/t/$tenantId/trackers",
  mcp_server: "/t/$tenantId/mcp-servers",
  channel: "/t/$tenantId/notifications",
} as const satisfies Record<Schemas["Connection"]["kind"], string>;

/** The page on which connections of a kind stand. */
export function ConnectionLink({ tenantId, kind, children }: { tenantId: string; kind: Schemas["Connection"]["kind"]; children: ReactNode }) {
  return (
    <PageLink to={pages[kind]} params={{ tenantId }}>
      {children}
    </PageLink>
  );
}
