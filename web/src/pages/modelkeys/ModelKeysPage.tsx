import { useState } from "react";
import { Button, Group, Stack, Text, Title } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useParams } from "@tanstack/react-router";
import { api, ok } from "@/api/client";
import { credentialsQuery, keyTestsQuery, presetsQuery } from "@/api/models";
import type { Schemas } from "@/api/queries";
import { modelKeys as texts } from "@/texts/models";
import { confirm } from "@/ui/confirm";
import { Empty } from "@/ui/Empty";
import { PageLink } from "@/ui/links";
import { Loaded } from "@/ui/Loaded";
import { failed } from "@/ui/failed";
import { notice } from "@/ui/notice";
import { Outside } from "@/ui/Outside";
import { Page } from "@/ui/Page";
import { KeyDialogs, type OpenKey } from "./KeyDialogs";
import { KeyState } from "./KeyState";
import { lastTest, providerName, type Key } from "./keys";

type Presets = Schemas["LlmPresets"];

/** The model keys of the tenant. */
export function ModelKeysPage() {
  const { tenantId } = useParams({ from: "/t/$tenantId" });
  const presets = useQuery(presetsQuery);
  const credentials = useQuery(credentialsQuery(tenantId));
  const [open, setOpen] = useState<OpenKey>();
  const add = <Button onClick={() => setOpen({ what: "add" })}>{texts.add}</Button>;
  const actions = credentials.data && credentials.data.length > 0 ? add : undefined;
  return (
    <Page title={texts.title} actions={actions}>
      <Text>{texts.says}</Text>
      <PageLink to="/t/$tenantId/models" params={{ tenantId }}>
        {texts.toRouting}
      </PageLink>
      <Loaded query={credentials} lines={6}>
        {(all) => (
          <Loaded query={presets}>
            {(known) => (
              <>
                {all.length === 0 ? <Empty says={texts.none} action={add} /> : <Keys tenantId={tenantId} presets={known} all={all} open={setOpen} />}
                <KeyDialogs tenantId={tenantId} presets={known} all={all} open={open} setOpen={setOpen} />
              </>
            )}
          </Loaded>
        )}
      </Loaded>
    </Page>
  );
}

function Keys({ tenantId, presets, all, open }: { tenantId: string; presets: Presets; all: readonly Key[]; open: (what: OpenKey) => void }) {
  const client = useQueryClient();
  const tests = useQuery(keyTestsQuery(tenantId));
  const remove = useMutation({
    mutationFn: (credentialId: string) => ok(api.DELETE("/api/tenants/{tenantId}/llm-credentials/{credentialId}", { params: { path: { tenantId, credentialId } } })),
    onSuccess: () => notice(texts.removed),
    onError: (error) => failed(error),
    onSettled: () => client.invalidateQueries({ queryKey: credentialsQuery(tenantId).queryKey }),
  });
  const ask = (k: Key) =>
    k.uses > 0
      ? open({ what: "remove", id: k.id })
      : confirm({ title: texts.removeTitle(k.name), says: texts.removeSays(providerName(presets, k)), does: texts.remove, then: () => remove.mutate(k.id) });
  return (
    <Stack component="ul" p={0} m={0} className="bare-list">
      {all.map((k) => (
        <li key={k.id} className="sheet">
          <Group justify="space-between" align="flex-start">
            <Stack gap={4} align="flex-start">
              <Title order={2} size="h4">
                <Outside says={k.name} />
              </Title>
              <KeyState stored={k} provider={providerName(presets, k)} regions={presets.dataRegions} test={lastTest(tests.data ?? [], k)} tested={tests.isSuccess} />
            </Stack>
            <Group gap="xs">
              {(["test", "models", "edit"] as const).map((what) => (
                <Button key={what} size="xs" variant="default" aria-label={`${texts[what]}: ${k.name}`} onClick={() => open({ what, id: k.id })}>
                  {texts[what]}
                </Button>
              ))}
              <Button size="xs" variant="default" aria-label={`${texts.remove}: ${k.name}`} loading={remove.isPending && remove.variables === k.id} onClick={() => ask(k)}>
                {texts.remove}
              </Button>
            </Group>
          </Group>
        </li>
      ))}
    </Stack>
  );
}
