import { useState } from "react";
import { Button, Group, Modal, NativeSelect, Text, TextInput } from "@mantine/core";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { answer, api } from "@/api/client";
import type { Schemas } from "@/api/queries";
import { localOf, timeOf } from "@/pages/audit/search";
import { text } from "@/texts";
import { deliveries as texts } from "@/texts/instance";
import { Empty } from "@/ui/Empty";
import { type Column, ListTable } from "@/ui/ListTable";
import { Page } from "@/ui/Page";
import { StateMark, type Tone } from "@/ui/StateMark";
import { Time } from "@/ui/Time";
import { useListing } from "@/ui/useListing";
import { DeliveryDetails } from "./DeliveryDetails";
import { type DeliveriesSearch, readDeliveries } from "./search";

type Delivery = Schemas["Delivery"];

const tones: Record<Delivery["state"], Tone> = { received: "quiet", queued: "busy", run: "good", coalesced: "good", applied: "good", ignored: "quiet", failed: "bad" };

export const hostName = (d: Delivery): string => (d.host && Object.hasOwn(texts.hosts, d.host) ? texts.hosts[d.host as keyof typeof texts.hosts] : texts.gone);

/** What code hosts have sent. */
export function DeliveriesPage() {
  const search = readDeliveries(useSearch({ from: "/instance/deliveries" }));
  const navigate = useNavigate({ from: "/instance/deliveries" });
  const change = (to: Record<string, unknown>) => void navigate({ search: readDeliveries({ ...search, ...to }) as Record<string, unknown>, replace: true });
  const [open, setOpen] = useState<Delivery>();
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
    { key: "reason", heading: texts.reason, cell: (d) => <bdi>{d.reason}</bdi> },
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
  const filtered = Object.keys(search).length > 0;
  return (
    <Page title={text.frame.deliveries}>
      <Text>{texts.says}</Text>
      <Filters key={JSON.stringify(search)} search={search} change={change} />
      <ListTable
        caption={texts.caption}
        columns={columns}
        listing={listing}
        rowKey={(d) => d.id}
        empty={
          <Empty
            says={filtered ? `${texts.empty} ${texts.emptySays}` : texts.none}
            action={
              filtered ? (
                <Button variant="default" onClick={() => void navigate({ search: {}, replace: true })}>
                  {texts.clear}
                </Button>
              ) : undefined
            }
          />
        }
      />
      <Modal opened={open !== undefined} onClose={() => setOpen(undefined)} size="xl" title={texts.title} closeButtonProps={{ "aria-label": text.common.close }}>
        {open && <DeliveryDetails delivery={open} host={hostName(open)} />}
      </Modal>
    </Page>
  );
}

function Filters({ search, change }: { search: DeliveriesSearch; change: (to: Record<string, unknown>) => void }) {
  const [typed, setTyped] = useState({ guid: search.guid ?? "", sourceId: search.sourceId ?? "", tenantId: search.tenantId ?? "", since: localOf(search.since) });
  const choice = (key: "state" | "host", label: string, names: Record<string, string>) => (
    <NativeSelect
      label={label}
      autoComplete="off"
      value={search[key] ?? ""}
      data={[{ value: "", label: text.common.all }, ...Object.entries(names).map(([value, name]) => ({ value, label: name }))]}
      onChange={(e) => change({ [key]: e.currentTarget.value })}
    />
  );
  const input = (key: keyof typeof typed, label: string, more: object = {}) => <TextInput label={label} autoComplete="off" value={typed[key]} onChange={(e) => setTyped({ ...typed, [key]: e.currentTarget.value })} {...more} />;
  return (
    <form
      onSubmit={(e) => {
        e.preventDefault();
        change({ ...typed, since: timeOf(typed.since) });
      }}
    >
      <Group align="flex-end">
        {choice("state", text.common.state, texts.filter)}
        {choice("host", texts.host, texts.hosts)}
        {input("guid", texts.guid, { maxLength: 200, placeholder: texts.guidSays })}
        {input("sourceId", texts.source, { maxLength: 100 })}
        {input("tenantId", texts.tenant, { maxLength: 100 })}
        {input("since", texts.since, { type: "datetime-local" })}
        <Button type="submit" variant="default">
          {text.common.filter}
        </Button>
      </Group>
    </form>
  );
}
