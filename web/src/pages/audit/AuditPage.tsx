import { useParams } from "@tanstack/react-router";
import { text } from "@/texts";
import { ForAdmins } from "@/ui/ForAdmins";
import { Page } from "@/ui/Page";
import { useFilters } from "@/ui/useFilters";
import { AuditLog } from "./AuditLog";
import { readSearch } from "./search";
import { tenantLog } from "./source";

/** The audit log of a tenant. */
export function AuditPage() {
  const { tenantId } = useParams({ from: "/t/$tenantId" });
  return (
    <ForAdmins tenantId={tenantId} title={text.frame.audit}>
      {() => <TenantAudit tenantId={tenantId} />}
    </ForAdmins>
  );
}

function TenantAudit({ tenantId }: { tenantId: string }) {
  const [search, change] = useFilters(readSearch);
  return (
    <Page title={text.frame.audit}>
      <AuditLog source={tenantLog(tenantId)} search={search} change={change} />
    </Page>
  );
}
