import { useState } from "react";
import { Button, Modal, Stack, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { answer, api } from "@/api/client";
import { myTenantsQuery, type Schemas } from "@/api/queries";
import { text } from "@/texts";
import { deliveries as texts } from "@/texts/instance";
import { wordOf } from "@/texts/terms";
import { FilterForm } from "@/ui/FilterForm";
import { type Column, ListTable } from "@/ui/ListTable";
import { NoneListed } from "@/ui/NoneListed";
import { Outside } from "@/ui/Outside";
import { Page } from "@/ui/Page";
import { RunLink } from "@/ui/RunLink";
import { StateMark, type Tone } from "@/ui/StateMark";
import { TenantPicker } from "@/ui/TenantPicker";
import { Time } from "@/ui/Time";
import { useFilters } from "@/ui/useFilters";
import { useListing } from "@/ui/useListing";
import { DeliveryDetails } from "./DeliveryDetails";
import { readDeliveries } from "./search";

type Delivery = Schemas["Delivery"];

const tones: Record<Delivery["state"], Tone> = { received: "quiet", queued: "busy", run: "good", coalesced: "good", applied: "good", ignored: "quiet", failed: "bad" };

export const hostName = (d: Delivery): string => (d.host && Object.hasOwn(texts.hosts, d.host) ? texts.hosts[d.host as keyof typeof texts.hosts] : texts.gone);

/** The reason of a result, and the review that a delivery made or joined, for people of its tenant. */
function Follows({ delivery: d, tenants }: { delivery: Delivery; tenants: readonly { id: string }[] }) {
  const isMine = tenants.some((t) => t.id === d.tenantId);
  const link = isMine && d.tenantId && d.runId && d.runRepositoryId && (
    <RunLink tenantId={d.tenantId} repositoryId={d.runRepositoryId} runId={d.runId}>
      {texts.toRun}
    </RunLink>
  );
  if (d.reason === "" && !link) return null;
  return (
    <Stack gap={2} align="flex-start">
      {d.reason !== "" && <Outside says={wordOf(texts.reasons)(d.reason)} />}
      {link}
    </Stack>
  );
}

/** The deliveries of code hosts. */
export function DeliveriesPage() {
  const [search, change] = useFilters(readDeliveries);
  const [open, setOpen] = useState<Delivery>();
  const { data: tenants } = useQuery(myTenantsQuery);
  const mine = tenants?.items ?? [];
  const listing = useListing<Delivery>(["instance", "deliveries", search], (cursor, signal) => answer(api.GET("/api/instance/deliveries", { params: { query: { ...search, ...(cursor ? { cursor } : {}) } }, signal })));
  const columns: readonly Column<Delivery>[] = [
    { key: "received", heading: texts.received, cell: (d) => <Time at={d.receivedAt} /> },
    { key: "host", heading: texts.host, cell: hostName },
    { key: "event", heading: texts.event, cell: (d) => <code>{d.action ? `${d.event}.${d.action}` : d.event}</code> },
    {
      key: "state",
      heading: text.common.state,
      cell: (d) => (
        <StateMark tone={tones[d.state]} waits={d.state === "received"}>
          {texts.state[d.state]}
        </StateMark>
      ),
    },
    { key: "reason", heading: texts.reason, wide: true, cell: (d) => <Follows delivery={d} tenants={mine} /> },
    {
      key: "details",
      heading: texts.details,
      cell: (d) => (
        <Button size="xs" variant="default" aria-label={texts.detailsOf(d.guid)} onClick={() => setOpen(d)}>
          {texts.details}
        </Button>
      ),
    },
  ];
  return (
    <Page title={text.frame.deliveries}>
      <Text>{texts.says}</Text>
      <FilterForm
        choices={[
          { key: "state", label: text.common.state, names: texts.filter },
          { key: "host", label: texts.host, names: texts.hosts },
        ]}
        typed={[{ key: "guid", label: texts.guid, most: 200, example: texts.guidSays }]}
        rare={[
          { key: "sourceId", label: texts.source },
          { key: "since", label: texts.since, at: true },
        ]}
        more={<TenantPicker label={texts.tenant} value={search.tenantId ?? ""} onChange={(tenantId) => change({ tenantId })} placeholder={text.common.all} />}
        filters={{ ...search }}
        change={change}
      />
      <ListTable
        caption={texts.caption}
        columns={columns}
        listing={listing}
        rowKey={(d) => d.id}
        empty={<NoneListed filters={search} none={texts.none} unmet={`${texts.empty} ${texts.emptySays}`} clears={texts.clear} change={change} />}
      />
      <Modal opened={open !== undefined} onClose={() => setOpen(undefined)} size="xl" title={texts.title} closeButtonProps={{ "aria-label": text.common.close }}>
        {open && <DeliveryDetails delivery={open} host={hostName(open)} />}
      </Modal>
    </Page>
  );
}
