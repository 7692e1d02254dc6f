import { Badge, NativeSelect } from "@mantine/core";
import { useNavigate } from "@tanstack/react-router";
import { manages, type Schemas } from "@/api/queries";
import { text } from "@/texts";
import { PageLink } from "@/ui/links";

interface Props {
  tenantId: string;
  tenants: readonly Schemas["MyTenant"][];
  access: Schemas["Access"] | undefined;
  /** Whether there are tenants that the session does not open. */
  closed: boolean;
}

/** The tenant that is looked at, above the menu, with a choice of the person's others. */
export function Whose({ tenantId, tenants, access, closed }: Props) {
  const navigate = useNavigate();
  return (
    <div className="whose">
      {tenantId !== "" && (
        <NativeSelect
          label={text.frame.tenant}
          size="xs"
          value={tenantId}
          autoComplete="off"
          data={tenants.length > 0 ? tenants.map((t) => ({ value: t.id, label: t.name })) : [{ value: tenantId, label: tenantId }]}
          onChange={(e) => void navigate({ to: "/t/$tenantId/inbox", params: { tenantId: e.currentTarget.value } })}
        />
      )}
      {closed && (
        <PageLink to="/" search={{ choose: true }} size="sm">
          {text.frame.closed}
        </PageLink>
      )}
      {access && manages(access) && (
        <Badge mt="xs" variant="default" tt="none">
          {text.frame.admin}
        </Badge>
      )}
    </div>
  );
}
