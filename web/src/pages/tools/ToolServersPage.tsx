import { useState } from "react";
import { Button, Text } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { answer, api } from "@/api/client";
import { keys } from "@/api/queries";
import { tools as texts } from "@/texts/tools";
import { Cards } from "@/ui/Cards";
import { ForAdmins } from "@/ui/ForAdmins";
import { FormModal } from "@/ui/FormModal";
import { Page } from "@/ui/Page";
import { useListing } from "@/ui/useListing";
import { useFilters } from "@/ui/useFilters";
import { Calls } from "./Calls";
import { readSearch } from "./route";
import { ServerCard } from "./ServerCard";
import { ServerForm } from "./ServerForm";
import type { Server } from "./server";

const route = getRouteApi("/t/$tenantId/mcp-servers");

/** The tool servers of a tenant, with the tools that reviews may call. */
export function ToolServersPage() {
  const { tenantId } = route.useParams();
  return (
    <ForAdmins tenantId={tenantId} title={texts.title}>
      {() => <Servers tenantId={tenantId} />}
    </ForAdmins>
  );
}

function Servers({ tenantId }: { tenantId: string }) {
  const [{ calls }] = useFilters(readSearch);
  const navigate = route.useNavigate();
  const client = useQueryClient();
  const [open, setOpen] = useState<Server | "new">();
  const key = keys.tenant(tenantId, "mcp-servers");
  const changed = () => void client.invalidateQueries({ queryKey: [...key, "list"] });
  const servers = useListing<Server>([...key, "list"], (cursor, signal) => answer(api.GET("/api/tenants/{tenantId}/mcp-servers", { params: { path: { tenantId }, query: cursor ? { cursor } : {} }, signal })));
  const edited = open && open !== "new" ? (servers.items.find((s) => s.id === open.id) ?? open) : undefined;
  const add = <Button onClick={() => setOpen("new")}>{texts.add}</Button>;
  return (
    <Page title={texts.title} actions={servers.items.length > 0 ? add : undefined}>
      <Text>{texts.says}</Text>
      {calls !== undefined && <Calls key={calls} tenantId={tenantId} serverId={calls} name={servers.items.find((s) => s.id === calls)?.name ?? calls} />}
      <Cards listing={servers} none={texts.none} action={add} show={(s) => <ServerCard key={s.id} tenantId={tenantId} server={s} edit={() => setOpen(s)} changed={changed} removing={() => calls === s.id && void navigate({ search: {}, replace: true })} />} />
      <FormModal title={edited ? texts.editTitle(edited.name) : texts.addTitle} open={open !== undefined} close={() => setOpen(undefined)}>
        {() => (
          <ServerForm
            key={edited ? `${edited.id} ${edited.version}` : "new"}
            tenantId={tenantId}
            {...(edited ? { server: edited } : {})}
            done={() => {
              setOpen(undefined);
              changed();
            }}
            reload={changed}
          />
        )}
      </FormModal>
    </Page>
  );
}
