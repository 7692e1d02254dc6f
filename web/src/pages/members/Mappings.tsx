import { useState } from "react";
import { Button, Group, NativeSelect, Stack, Text, Textarea, TextInput } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { answer, api, ok } from "@/api/client";
import { keys, type Schemas } from "@/api/queries";
import { members as texts } from "@/texts/members";
import { FormModal } from "@/ui/FormModal";
import { confirm } from "@/ui/confirm";
import { Empty } from "@/ui/Empty";
import { FormTrouble } from "@/ui/FormTrouble";
import { ListTable, type Column } from "@/ui/ListTable";
import { Loaded } from "@/ui/Loaded";
import { failed } from "@/ui/failed";
import { notice } from "@/ui/notice";
import { Outside } from "@/ui/Outside";
import { useListing } from "@/ui/useListing";
import { useServerForm } from "@/ui/useServerForm";

type Mapping = Schemas["OidcRoleMapping"];
type Provider = Schemas["ProviderName"];

/** The roles in the tenant that claims of identity providers give. */
export function Mappings({ tenantId }: { tenantId: string }) {
  const providers = useQuery({
    queryKey: keys.tenant(tenantId, "identity-providers"),
    queryFn: ({ signal }) => ok(api.GET("/api/tenants/{tenantId}/identity-providers", { params: { path: { tenantId } }, signal })),
  });
  return (
    <>
      <Text>{texts.mappingsSays}</Text>
      <Loaded query={providers}>{({ items }) => <MappingList tenantId={tenantId} providers={items} />}</Loaded>
    </>
  );
}

function MappingList({ tenantId, providers }: { tenantId: string; providers: readonly Provider[] }) {
  const client = useQueryClient();
  const [adding, setAdding] = useState(false);
  const key = keys.tenant(tenantId, "role-mappings");
  const listing = useListing<Mapping>(key, (cursor, signal) => answer(api.GET("/api/tenants/{tenantId}/oidc-role-mappings", { params: { path: { tenantId }, query: cursor ? { cursor } : {} }, signal })));
  const fresh = () => {
    void client.invalidateQueries({ queryKey: key });
    void client.invalidateQueries({ queryKey: keys.tenant(tenantId, "members") });
  };
  const remove = useMutation({
    mutationFn: (mappingId: string) => ok(api.DELETE("/api/tenants/{tenantId}/oidc-role-mappings/{mappingId}", { params: { path: { tenantId, mappingId } } })),
    onSuccess: () => {
      notice(texts.removed);
      fresh();
    },
    onError: (error) => failed(error),
  });
  const columns: readonly Column<Mapping>[] = [
    { key: "provider", heading: texts.provider, cell: (m) => <Outside says={providers.find((p) => p.id === m.identityProviderId)?.name ?? m.identityProviderId} /> },
    { key: "claim", heading: texts.claim, cell: (m) => <code>{m.claim.join(" › ")}</code> },
    { key: "value", heading: texts.value, cell: (m) => <code>{m.value}</code> },
    { key: "role", heading: texts.role, cell: (m) => texts.roles[m.role] },
    {
      key: "remove",
      heading: texts.remove,
      cell: (m) => (
        <Button size="xs" variant="default" aria-label={texts.removeOf(m.value)} onClick={() => confirm({ title: texts.removeTitle, says: texts.removeSays, does: texts.remove, then: () => remove.mutate(m.id) })}>
          {texts.remove}
        </Button>
      ),
    },
  ];
  return (
    <Stack>
      <ListTable caption={texts.mappingsCaption} columns={columns} listing={listing} rowKey={(m) => m.id} empty={<Empty says={providers.length === 0 ? texts.noProviders : texts.noMappings} />} />
      {providers.length > 0 && (
        <Group>
          <Button variant="default" onClick={() => setAdding(true)}>
            {texts.addMapping}
          </Button>
        </Group>
      )}
      <FormModal title={texts.addMapping} open={adding} close={() => setAdding(false)}>
        {() => adding && (
          <AddMapping
            tenantId={tenantId}
            providers={providers}
            done={() => {
              setAdding(false);
              fresh();
            }}
          />
        )}
      </FormModal>
    </Stack>
  );
}

function AddMapping({ tenantId, providers, done }: { tenantId: string; providers: readonly Provider[]; done: () => void }) {
  const { form, submit, sending, problem, conflict } = useServerForm({
    initial: { identityProviderId: providers[0]?.id ?? "", claim: "", value: "", role: "member" as Mapping["role"] },
    send: ({ claim, ...rest }) =>
      ok(
        api.POST("/api/tenants/{tenantId}/oidc-role-mappings", {
          params: { path: { tenantId } },
          body: { ...rest, claim: claim.split("\n").filter((part) => part !== "") },
        }),
      ),
    done,
    saved: texts.mappingAdded,
  });
  const claim = Object.entries(form.errors).find(([field]) => field.startsWith("claim"))?.[1];
  return (
    <form onSubmit={submit}>
      <Stack>
        <FormTrouble problem={problem} conflict={conflict} />
        <NativeSelect label={texts.provider} autoComplete="off" data={providers.map((p) => ({ value: p.id, label: p.name }))} {...form.getInputProps("identityProviderId")} />
        <Textarea label={texts.claim} description={texts.claimSays} required rows={2} autoComplete="off" {...form.getInputProps("claim")} error={claim} />
        <TextInput label={texts.value} description={texts.valueSays} required autoComplete="off" {...form.getInputProps("value")} />
        <NativeSelect label={texts.role} autoComplete="off" data={Object.entries(texts.roles).map(([value, label]) => ({ value, label }))} {...form.getInputProps("role")} />
        <Group>
          <Button type="submit" loading={sending}>
            {texts.addMapping}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
