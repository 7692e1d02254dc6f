import { useState } from "react";
import { Anchor, Button, Group, Text } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { answer, api, ok } from "@/api/client";
import { webLink } from "@/pages/run/webLink";
import { apps as texts } from "@/texts/apps";
import { Card, Cards } from "@/ui/Cards";
import { CheckList } from "@/ui/CheckList";
import { confirm } from "@/ui/confirm";
import { Copyable } from "@/ui/Copyable";
import { Facts } from "@/ui/Facts";
import { FormModal } from "@/ui/FormModal";
import { notice } from "@/ui/notice";
import { Page } from "@/ui/Page";
import { Time } from "@/ui/Time";
import { Trouble } from "@/ui/Trouble";
import { useListing } from "@/ui/useListing";
import { AppForm } from "./AppForm";
import type { App } from "./apps";

const key = ["instance", "apps"] as const;

/** The apps of the instance for code hosts. */
export function AppsPage() {
  const client = useQueryClient();
  const [open, setOpen] = useState<App | "new">();
  const changed = () => void client.invalidateQueries({ queryKey: key });
  const listing = useListing<App>(key, (cursor, signal) => answer(api.GET("/api/instance/codehost-apps", { params: { query: cursor ? { cursor } : {} }, signal })));
  const edited = open && open !== "new" ? (listing.items.find((a) => a.id === open.id) ?? open) : undefined;
  const add = <Button onClick={() => setOpen("new")}>{texts.add}</Button>;
  return (
    <Page title={texts.title} actions={listing.items.length > 0 ? add : undefined}>
      <Text>{texts.says}</Text>
      <Cards listing={listing} none={texts.none} action={add} show={(a) => <AppCard key={a.id} app={a} edit={() => setOpen(a)} changed={changed} />} />
      <FormModal title={edited ? texts.editTitle(edited.name ?? edited.slug) : texts.addTitle} open={open !== undefined} close={() => setOpen(undefined)}>
        {() => (
          <AppForm
            key={edited ? `${edited.id} ${edited.version}` : "new"}
            {...(edited ? { app: edited } : {})}
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

/** An app: its identity at the host, its entered secrets, and its actions. */
function AppCard({ app: a, edit, changed }: { app: App; edit: () => void; changed: () => void }) {
  const params = { path: { providerAppId: a.id } };
  const name = a.name ?? a.slug;
  const test = useMutation({ mutationFn: () => ok(api.POST("/api/instance/codehost-apps/{providerAppId}/test", { params })), onSettled: changed });
  const rotate = useMutation({
    mutationFn: () => ok(api.PATCH("/api/instance/codehost-apps/{providerAppId}", { params: { ...params, header: { "If-Match": `"v${a.version}"` } }, body: { nextWebhookSecret: null } })),
    onSuccess: () => notice(texts.rotated),
    onSettled: changed,
  });
  const remove = useMutation({
    mutationFn: () => ok(api.DELETE("/api/instance/codehost-apps/{providerAppId}", { params })),
    onSuccess: () => {
      notice(texts.removed);
      changed();
    },
  });
  const trouble = [test, rotate, remove].find((m) => m.isError)?.error;
  const install = webLink(a.installUrl);
  const secret = (isSet: boolean, at: string | undefined) =>
    isSet ? (
      <>
        {texts.set} {at && <Time at={at} />}
      </>
    ) : (
      texts.unset
    );
  return (
    <Card id={a.id} name={name}>
      {a.nextWebhookSecretSet && <div className="note">{texts.rotating}</div>}
      <Facts
        of={[
          [texts.host, a.baseUrl],
          [texts.owner, a.owner && <bdi key="owner">{a.owner}</bdi>],
          [texts.appId, String(a.appId)],
          [texts.clientId, a.clientId],
          [texts.privateKey, secret(a.privateKeySet, a.privateKeyUpdatedAt)],
          [texts.webhookSecret, secret(a.webhookSecretSet, a.webhookSecretUpdatedAt)],
          [texts.clientSecret, secret(a.clientSecretSet, a.clientSecretUpdatedAt)],
          [texts.webhookUrl, <Copyable key="url" value={a.webhookUrl} name={texts.webhookUrl} />],
        ]}
      />
      {install !== "" && (
        <Text size="sm">
          <Anchor href={install} rel="noreferrer">
            {texts.install}
          </Anchor>
        </Text>
      )}
      {test.data && <CheckList checks={test.data.checks} />}
      {trouble && <Trouble error={trouble} />}
      <Group gap="xs">
        <Button size="xs" variant="default" loading={test.isPending} onClick={() => test.mutate()}>
          {texts.test}
        </Button>
        <Button size="xs" variant="default" onClick={edit}>
          {texts.edit}
        </Button>
        {a.nextWebhookSecretSet && (
          <Button size="xs" variant="default" loading={rotate.isPending} onClick={() => confirm({ title: texts.endRotation, says: texts.endRotationSays, does: texts.endRotation, then: () => rotate.mutate() })}>
            {texts.endRotation}
          </Button>
        )}
        <Button size="xs" variant="default" loading={remove.isPending} onClick={() => confirm({ title: texts.removeTitle(name), says: texts.removeSays, does: texts.remove, then: () => remove.mutate() })}>
          {texts.remove}
        </Button>
      </Group>
    </Card>
  );
}
