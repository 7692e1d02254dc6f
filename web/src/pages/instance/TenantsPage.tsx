import { useState } from "react";
import { Button, Stack, Text, Title } from "@mantine/core";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { answer, api } from "@/api/client";
import { myTenantsQuery, type Schemas } from "@/api/queries";
import { text } from "@/texts";
import { tenants as texts } from "@/texts/instance";
import { FormModal } from "@/ui/FormModal";
import { Empty } from "@/ui/Empty";
import { ButtonLink } from "@/ui/links";
import { type Column, ListTable } from "@/ui/ListTable";
import { Outside } from "@/ui/Outside";
import { Page } from "@/ui/Page";
import { StateMark, type Tone } from "@/ui/StateMark";
import { Time } from "@/ui/Time";
import { useListing } from "@/ui/useListing";
import { CreateTenant, JoinTenant, PlaceInstallation } from "./TenantForms";

type Tenant = Schemas["Tenant"];
type Installation = Schemas["Installation"];
type Open = { does: "create" } | { does: "join"; tenant: Tenant } | { does: "place"; installation: Installation };

const tones: Record<Installation["state"], Tone> = { unplaced: "warn", active: "good", suspended: "warn", deleted: "quiet" };

/** The tenants of the instance, and the installations that belong to them or wait for one. */
export function TenantsPage() {
  const client = useQueryClient();
  const [open, setOpen] = useState<Open>();
  const { data: mine } = useQuery(myTenantsQuery);
  const tenants = useListing<Tenant>(["instance", "tenants"], (cursor, signal) => answer(api.GET("/api/instance/tenants", { params: { query: cursor ? { cursor } : {} }, signal })));
  const installations = useListing<Installation>(["instance", "installations"], (cursor, signal) => answer(api.GET("/api/instance/installations", { params: { query: cursor ? { cursor } : {} }, signal })));
  const done = () => {
    setOpen(undefined);
    void client.invalidateQueries({ queryKey: ["instance"] });
    void client.invalidateQueries({ queryKey: ["me"] });
  };
  const columns: readonly Column<Tenant>[] = [
    { key: "name", heading: texts.name, cell: (t) => <Outside says={t.name} /> },
    { key: "id", heading: texts.id, cell: (t) => <code>{t.id}</code> },
    { key: "made", heading: texts.made, cell: (t) => <Time at={t.createdAt} /> },
    {
      key: "open",
      heading: texts.open,
      cell: (t) =>
        mine?.items.some((m) => m.id === t.id) ? (
          <ButtonLink to="/t/$tenantId/inbox" params={{ tenantId: t.id }} size="xs" variant="default">
            {texts.open}
          </ButtonLink>
        ) : (
          <Button size="xs" variant="default" aria-label={texts.joinOf(t.name)} onClick={() => setOpen({ does: "join", tenant: t })}>
            {texts.join}
          </Button>
        ),
    },
  ];
  const places: readonly Column<Installation>[] = [
    { key: "account", heading: texts.account, cell: (i) => <Outside says={i.account} /> },
    { key: "state", heading: text.common.state, cell: (i) => <StateMark tone={tones[i.state]}>{texts.state[i.state]}</StateMark> },
    {
      key: "tenant",
      heading: texts.tenant,
      cell: (i) =>
        i.tenantId ? (
          <Outside says={i.tenantName || i.tenantId} />
        ) : (
          <Button size="xs" variant="default" aria-label={texts.placeOf(i.account)} onClick={() => setOpen({ does: "place", installation: i })}>
            {texts.place}
          </Button>
        ),
    },
    { key: "made", heading: texts.made, cell: (i) => <Time at={i.createdAt} /> },
  ];
  const title = open?.does === "join" ? texts.joinTitle(open.tenant.name) : open?.does === "place" ? texts.placeOf(open.installation.account) : texts.create;
  return (
    <Page title={text.frame.allTenants} actions={<Button onClick={() => setOpen({ does: "create" })}>{texts.create}</Button>}>
      <Text>{texts.says}</Text>
      <ListTable caption={texts.caption} columns={columns} listing={tenants} rowKey={(t) => t.id} empty={<Empty says={texts.none} />} />
      <section aria-labelledby="installations">
        <Stack>
          <Title order={2} id="installations">
            {texts.installations}
          </Title>
          <Text>{texts.installationsSays}</Text>
          <ListTable caption={texts.installationsCaption} columns={places} listing={installations} rowKey={(i) => i.id} empty={<Empty says={texts.noInstallations} />} />
        </Stack>
      </section>
      <FormModal title={title} open={open !== undefined} close={() => setOpen(undefined)}>
        {() => (
          <>
            {open?.does === "create" && <CreateTenant done={done} />}
            {open?.does === "join" && <JoinTenant tenant={open.tenant} done={done} />}
            {open?.does === "place" && <PlaceInstallation installation={open.installation} tenants={tenants.items} done={done} />}
          </>
        )}
      </FormModal>
    </Page>
  );
}
