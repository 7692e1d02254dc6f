import { Text } from "@mantine/core";
import { queryOptions, useQuery, useQueryClient } from "@tanstack/react-query";
import { answer, api, type Answer } from "@/api/client";
import { keys, type Schemas } from "@/api/queries";
import { changesOf, readSaid, writeSaid } from "@/pages/settings/document";
import { SettingsForm } from "@/pages/settings/SettingsForm";
import { worded } from "@/pages/settings/words";
import { text } from "@/texts";
import { instanceSettings as texts, instanceWords } from "@/texts/instanceSettings";
import { PageLink } from "@/ui/links";
import { Loaded } from "@/ui/Loaded";
import { Page } from "@/ui/Page";
import { instanceGroups, instanceTable, isFixed } from "./settingsTable";

type Stored = Schemas["InstanceSettings"];

const table = worded(instanceTable, instanceWords);
const names = instanceTable.map((s) => s.name);

const settingsQuery = queryOptions({ queryKey: ["instance", "settings"], queryFn: ({ signal }) => answer(api.GET("/api/instance/settings", { signal })) });

/** The changed part of a document, because absent settings stay. */
export function changed(stored: Stored, document: Record<string, unknown>): Schemas["InstanceSettingsUpdate"] {
  const after = readSaid(names, document);
  const said = changesOf(names, readSaid(names, stored), after).flatMap((c) => (c.after === undefined ? [] : [[c.name, c.after] as const]));
  return writeSaid(Object.fromEntries(said));
}

/** The settings of the instance. Settings fixed by the process configuration are shown and cannot be changed here. */
export function InstanceSettingsPage() {
  const client = useQueryClient();
  const query = useQuery(settingsQuery);
  return (
    <Page title={texts.title}>
      <Text>{texts.says}</Text>
      <Text>
        {texts.telemetry} <PageLink to="/instance/telemetry">{text.frame.telemetry}</PageLink>
      </Text>
      <Loaded query={query} lines={8}>
        {(stored) => (
          <SettingsForm
            tenantId=""
            table={table}
            groups={instanceGroups}
            stored={stored as Answer<Stored & { notInEffect?: never[] }>}
            mayChange
            fixed={(name) => (isFixed(stored.data.origins, name) ? texts.fixed : undefined)}
            send={(document, etag) => answer(api.PUT("/api/instance/settings", { params: { header: { "If-Match": etag } }, body: changed(stored.data, document) }))}
            read={() => client.fetchQuery({ ...settingsQuery, staleTime: 0 })}
            saved={(now) => {
              client.setQueryData(settingsQuery.queryKey, now as Answer<Stored>);
              void client.invalidateQueries({ queryKey: keys.me });
            }}
          />
        )}
      </Loaded>
    </Page>
  );
}
