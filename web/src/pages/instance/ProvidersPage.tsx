import { useState } from "react";
import { Button, Group, Text } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { answer, api, ok } from "@/api/client";
import { providers as texts } from "@/texts/providers";
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
import { ProviderForm } from "./ProviderForm";
import type { Provider } from "./providers";

const key = ["instance", "identity-providers"] as const;

/** The identity providers of the instance. */
export function ProvidersPage() {
  const client = useQueryClient();
  const [open, setOpen] = useState<Provider | "new">();
  const changed = () => void client.invalidateQueries({ queryKey: key });
  const listing = useListing<Provider>(key, (cursor, signal) => answer(api.GET("/api/instance/identity-providers", { params: { query: cursor ? { cursor } : {} }, signal })));
  const edited = open && open !== "new" ? (listing.items.find((p) => p.id === open.id) ?? open) : undefined;
  const add = <Button onClick={() => setOpen("new")}>{texts.add}</Button>;
  return (
    <Page title={texts.title} actions={listing.items.length > 0 ? add : undefined}>
      <Text>{texts.says}</Text>
      <Cards listing={listing} none={texts.none} action={add} show={(p) => <ProviderCard key={p.id} provider={p} edit={() => setOpen(p)} changed={changed} />} />
      <FormModal title={edited ? texts.editTitle(edited.displayName) : texts.addTitle} open={open !== undefined} close={() => setOpen(undefined)}>
        {() => (
          <ProviderForm
            key={edited ? `${edited.id} ${edited.version}` : "new"}
            {...(edited ? { provider: edited } : {})}
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

/** An identity provider: its users, its registration data, and its actions. */
function ProviderCard({ provider: p, edit, changed }: { provider: Provider; edit: () => void; changed: () => void }) {
  const params = { path: { identityProviderId: p.id } };
  const test = useMutation({ mutationFn: () => ok(api.POST("/api/instance/identity-providers/{identityProviderId}/test", { params })) });
  const remove = useMutation({
    mutationFn: () => ok(api.DELETE("/api/instance/identity-providers/{identityProviderId}", { params })),
    onSuccess: () => {
      notice(texts.removed);
      changed();
    },
  });
  const trouble = [test, remove].find((m) => m.isError)?.error;
  return (
    <Card id={p.id} name={p.displayName} tone={p.enabled ? "good" : "quiet"} state={p.enabled ? texts.state.on : texts.state.off}>
      <Facts
        of={[
          [texts.issuer, p.issuer],
          [texts.clientId, p.clientId],
          [
            texts.clientSecret,
            p.clientSecretSet ? (
              <span key="secret">
                {texts.set} {p.clientSecretUpdatedAt && <Time at={p.clientSecretUpdatedAt} />}
              </span>
            ) : (
              texts.unset
            ),
          ],
          [texts.scopes, p.scopes.join(", ")],
          [texts.tenants, p.tenants === "all" ? texts.everyTenant : (p.tenants as string[]).join(", ")],
          [texts.hostUserId, p.hostUserId?.host],
          [texts.shown, !p.listed && texts.hidden],
          [texts.redirectUrl, <Copyable key="redirect" value={p.redirectUrl} name={texts.redirectUrl} />],
        ]}
      />
      {test.data && <CheckList checks={test.data.checks} />}
      {trouble && <Trouble error={trouble} />}
      <Group gap="xs">
        <Button size="xs" variant="default" loading={test.isPending} onClick={() => test.mutate()}>
          {texts.test}
        </Button>
        <Button size="xs" variant="default" onClick={edit}>
          {texts.edit}
        </Button>
        <Button size="xs" variant="default" loading={remove.isPending} onClick={() => confirm({ title: texts.removeTitle(p.displayName), says: texts.removeSays, does: texts.remove, then: () => remove.mutate() })}>
          {texts.remove}
        </Button>
      </Group>
    </Card>
  );
}
