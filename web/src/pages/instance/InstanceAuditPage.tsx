import { useNavigate, useSearch } from "@tanstack/react-router";
import { AuditLog } from "@/pages/audit/AuditLog";
import { readSearch } from "@/pages/audit/search";
import { instanceLog } from "@/pages/audit/source";
import { text } from "@/texts";
import { Page } from "@/ui/Page";

/** The audit log of the instance. */
export function InstanceAuditPage() {
  const search = readSearch(useSearch({ from: "/instance/audit" }));
  const navigate = useNavigate({ from: "/instance/audit" });
  return (
    <Page title={text.frame.instanceAudit}>
      <AuditLog source={instanceLog} search={search} change={(to) => void navigate({ search: readSearch({ ...search, ...to }) as Record<string, unknown>, replace: true })} />
    </Page>
  );
}
