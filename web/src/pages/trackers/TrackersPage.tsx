import { useState } from "react";
import { Button, Text } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { useParams } from "@tanstack/react-router";
import { answer, api } from "@/api/client";
import { keys, type Schemas } from "@/api/queries";
import { trackers as texts } from "@/texts/trackers";
import { Cards } from "@/ui/Cards";
import { Copyable } from "@/ui/Copyable";
import { ForAdmins } from "@/ui/ForAdmins";
import { FormModal } from "@/ui/FormModal";
import { Page } from "@/ui/Page";
import { ShownOnce } from "@/ui/ShownOnce";
import { Time } from "@/ui/Time";
import { useListing } from "@/ui/useListing";
import type { Tracker } from "./tracker";
import { TrackerCard } from "./TrackerCard";
import { TrackerForm } from "./TrackerForm";

/** The issue trackers of a tenant. */
export function TrackersPage() {
  const { tenantId } = useParams({ from: "/t/$tenantId" });
  return (
    <ForAdmins tenantId={tenantId} title={texts.title}>
      {() => <Trackers tenantId={tenantId} />}
    </ForAdmins>
  );
}

function Trackers({ tenantId }: { tenantId: string }) {
  const client = useQueryClient();
  const [open, setOpen] = useState<Tracker | "new">();
  const [secret, setSecret] = useState<Schemas["WebhookSecret"]>();
  const key = keys.tenant(tenantId, "trackers");
  const changed = () => void client.invalidateQueries({ queryKey: key });
  const listing = useListing<Tracker>(key, (cursor, signal) => answer(api.GET("/api/tenants/{tenantId}/tracker-connections", { params: { path: { tenantId }, query: cursor ? { cursor } : {} }, signal })));
  const edited = open && open !== "new" ? (listing.items.find((c) => c.id === open.id) ?? open) : undefined;
  const add = <Button onClick={() => setOpen("new")}>{texts.add}</Button>;
  return (
    <Page title={texts.title} actions={listing.items.length > 0 ? add : undefined}>
      <Text>{texts.says}</Text>
      <Cards listing={listing} none={texts.none} action={add} show={(c) => <TrackerCard key={c.id} tenantId={tenantId} tracker={c} edit={() => setOpen(c)} reveal={setSecret} changed={changed} />} />
      <FormModal title={edited ? texts.editTitle(edited.name) : texts.addTitle} open={open !== undefined} close={() => setOpen(undefined)}>
        {() => (
          <TrackerForm
            key={edited ? `${edited.id} ${edited.version}` : "new"}
            tenantId={tenantId}
            {...(edited ? { tracker: edited } : {})}
            done={() => {
              setOpen(undefined);
              changed();
            }}
            reload={changed}
          />
        )}
      </FormModal>
      <ShownOnce
        title={texts.secretTitle}
        says={texts.secretSays}
        kept={texts.kept}
        close={() => setSecret(undefined)}
        of={
          secret && [
            [texts.webhookSecret, <Copyable key="secret" value={secret.secret} name={texts.webhookSecret} />],
            [texts.webhookUrl, <Copyable key="url" value={secret.webhookUrl} name={texts.webhookUrl} />],
            [texts.previous, secret.previousValidUntil && <Time key="previous" at={secret.previousValidUntil} />],
          ]
        }
      />
    </Page>
  );
}
