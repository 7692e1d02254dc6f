import { useState } from "react";
import { Button, Text } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { answer, api, ok } from "@/api/client";
import { keys, type Schemas } from "@/api/queries";
import { channels as texts } from "@/texts/channels";
import { Cards } from "@/ui/Cards";
import { Copyable } from "@/ui/Copyable";
import { failed } from "@/ui/failed";
import { ForAdmins } from "@/ui/ForAdmins";
import { FormModal } from "@/ui/FormModal";
import { Page } from "@/ui/Page";
import { ShownOnce } from "@/ui/ShownOnce";
import { Time } from "@/ui/Time";
import { useListing } from "@/ui/useListing";
import { useFilters } from "@/ui/useFilters";
import type { Channel } from "./channel";
import { ChannelCard } from "./ChannelCard";
import { ChannelForm } from "./ChannelForm";
import { Messages } from "./Messages";
import { readSearch } from "./route";

const route = getRouteApi("/t/$tenantId/notifications");

/** The channels through which a tenant is notified. */
export function ChannelsPage() {
  const { tenantId } = route.useParams();
  return (
    <ForAdmins tenantId={tenantId} title={texts.title}>
      {() => <Channels tenantId={tenantId} />}
    </ForAdmins>
  );
}

function Channels({ tenantId }: { tenantId: string }) {
  const [{ messages }] = useFilters(readSearch);
  const navigate = route.useNavigate();
  const client = useQueryClient();
  const [open, setOpen] = useState<Channel | "new">();
  const [secret, setSecret] = useState<Schemas["ChannelSecret"]>();
  const key = keys.tenant(tenantId, "channels");
  const changed = () => void client.invalidateQueries({ queryKey: [...key, "list"] });
  const listing = useListing<Channel>([...key, "list"], (cursor, signal) =>
    answer(api.GET("/api/tenants/{tenantId}/notification-channels", { params: { path: { tenantId }, query: cursor ? { cursor } : {} }, signal })),
  );
  const first = useMutation({
    mutationFn: (channelId: string) => ok(api.POST("/api/tenants/{tenantId}/notification-channels/{channelId}/secret", { params: { path: { tenantId, channelId } } })),
    onSuccess: setSecret,
    onError: (e) => failed(e),
    onSettled: changed,
    gcTime: 0, // a secret that is shown once is not kept
  });
  const edited = open && open !== "new" ? (listing.items.find((c) => c.id === open.id) ?? open) : undefined;
  const add = <Button onClick={() => setOpen("new")}>{texts.add}</Button>;
  return (
    <Page title={texts.title} actions={listing.items.length > 0 ? add : undefined}>
      <Text>{texts.says}</Text>
      {messages !== undefined && <Messages key={messages} tenantId={tenantId} channelId={messages} name={listing.items.find((c) => c.id === messages)?.name ?? messages} />}
      <Cards listing={listing} none={texts.none} action={add} show={(c) => <ChannelCard key={c.id} tenantId={tenantId} channel={c} edit={() => setOpen(c)} reveal={setSecret} changed={changed} removing={() => messages === c.id && void navigate({ search: {}, replace: true })} />} />
      <FormModal title={edited ? texts.editTitle(edited.name) : texts.addTitle} open={open !== undefined} close={() => setOpen(undefined)}>
        {() => (
          <ChannelForm
            key={edited ? `${edited.id} ${edited.version}` : "new"}
            tenantId={tenantId}
            {...(edited ? { channel: edited } : {})}
            done={(c) => {
              setOpen(undefined);
              changed();
              if (!edited && c.kind === "webhook") first.mutate(c.id); // without a secret no message is sent
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
            [texts.secret, <Copyable key="secret" value={secret.secret} name={texts.secret} />],
            [texts.secretOld, secret.previousSecretUntil && <Time key="old" at={secret.previousSecretUntil} />],
          ]
        }
      />
    </Page>
  );
}
