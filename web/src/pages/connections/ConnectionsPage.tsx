import { useState } from "react";
import { Button, Group, Text, Title } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { useParams } from "@tanstack/react-router";
import { answer, api } from "@/api/client";
import { keys, type Schemas } from "@/api/queries";
import { text } from "@/texts";
import { connections as texts } from "@/texts/connections";
import { FormModal } from "@/ui/FormModal";
import { Cards } from "@/ui/Cards";
import { ForAdmins } from "@/ui/ForAdmins";
import { Page } from "@/ui/Page";
import { useListing } from "@/ui/useListing";
import { ConnectionCard } from "./ConnectionCard";
import { ConnectionForm } from "./ConnectionForm";
import { InstallButton, InstallationCard } from "./Installation";
import type { Connection } from "./kinds";
import { SecretOnce } from "./SecretOnce";

/** Where repositories come from: installations of the app on GitHub, and connections to other code hosts. */
export function ConnectionsPage() {
  const { tenantId } = useParams({ from: "/t/$tenantId" });
  return (
    <ForAdmins tenantId={tenantId} title={text.frame.connections}>
      {() => <Connections tenantId={tenantId} />}
    </ForAdmins>
  );
}

function Connections({ tenantId }: { tenantId: string }) {
  const client = useQueryClient();
  const [open, setOpen] = useState<Connection | "new">();
  const [secret, setSecret] = useState<Schemas["WebhookSecret"]>();
  const key = keys.tenant(tenantId, "connections");
  const changed = () => void client.invalidateQueries({ queryKey: key });
  const installations = useListing<Schemas["TenantInstallation"]>([...key, "installations"], (cursor, signal) =>
    answer(api.GET("/api/tenants/{tenantId}/installations", { params: { path: { tenantId }, query: cursor ? { cursor } : {} }, signal })),
  );
  const others = useListing<Connection>([...key, "others"], (cursor, signal) =>
    answer(api.GET("/api/tenants/{tenantId}/provider-connections", { params: { path: { tenantId }, query: cursor ? { cursor } : {} }, signal })),
  );
  const edited = open && open !== "new" ? (others.items.find((c) => c.id === open.id) ?? open) : undefined;
  return (
    <Page title={text.frame.connections} actions={<Button onClick={() => setOpen("new")}>{texts.connectHost}</Button>}>
      <Text>{texts.says}</Text>
      <section aria-labelledby="installations">
        <Group justify="space-between" mb="sm">
          <Title order={2} id="installations">
            {texts.installations}
          </Title>
          <InstallButton tenantId={tenantId} />
        </Group>
        <Cards listing={installations} none={texts.noInstallations} show={(i) => <InstallationCard key={i.id} tenantId={tenantId} installation={i} />} />
      </section>
      <section aria-labelledby="others">
        <Title order={2} id="others" mb="sm">
          {texts.others}
        </Title>
        <Cards listing={others} none={texts.noOthers} show={(c) => <ConnectionCard key={c.id} tenantId={tenantId} connection={c} edit={() => setOpen(c)} reveal={setSecret} changed={changed} />} />
      </section>
      <FormModal title={edited ? texts.form.editTitle(edited.name) : texts.form.connectTitle} open={open !== undefined} close={() => setOpen(undefined)}>
        {() => open !== undefined && (
          <ConnectionForm
            key={edited ? `${edited.id} ${edited.version}` : "new"}
            tenantId={tenantId}
            {...(edited ? { connection: edited } : {})}
            done={() => {
              setOpen(undefined);
              changed();
            }}
            reload={changed}
          />
        )}
      </FormModal>
      <SecretOnce secret={secret} close={() => setSecret(undefined)} />
    </Page>
  );
}
