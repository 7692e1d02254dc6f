import type { ReactNode } from "react";
import { Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { accessQuery, manages } from "@/api/queries";
import { text } from "@/texts";
import { Loaded } from "./Loaded";
import { Page } from "./Page";

/** A page for the admins of a tenant only. Other people see a note, and no actions that they may not take. The service refuses such actions in any case. */
export function ForAdmins({ tenantId, title, children }: { tenantId: string; title: string; children: () => ReactNode }) {
  const access = useQuery(accessQuery(tenantId));
  return (
    <Loaded query={access}>
      {(a) =>
        manages(a) ? (
          children()
        ) : (
          <Page title={title}>
            <div className="note bad" role="alert">
              <Text fw={650}>{text.trouble.forbidden}</Text>
              <Text>{text.common.forAdmins}</Text>
            </div>
          </Page>
        )
      }
    </Loaded>
  );
}
