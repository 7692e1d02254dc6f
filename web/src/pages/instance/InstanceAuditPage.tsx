import { AuditLog } from "@/pages/audit/AuditLog";
import { readSearch } from "@/pages/audit/search";
import { instanceLog } from "@/pages/audit/source";
import { text } from "@/texts";
import { Page } from "@/ui/Page";
import { useFilters } from "@/ui/useFilters";

/** The audit log of the instance. */
export function InstanceAuditPage() {
  const [search, change] = useFilters(readSearch);
  return (
    <Page title={text.frame.instanceAudit}>
      <AuditLog source={instanceLog} search={search} change={change} />
    </Page>
  );
}
