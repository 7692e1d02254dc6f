import { Stack, Switch, Text, Title } from "@mantine/core";
import { queryOptions, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { api, ok } from "@/api/client";
import { ifMatch } from "@/api/models";
import type { Schemas } from "@/api/queries";
import { text } from "@/texts";
import { telemetry as texts } from "@/texts/declarations";
import { Facts } from "@/ui/Facts";
import { Loaded } from "@/ui/Loaded";
import { notice } from "@/ui/notice";
import { Page } from "@/ui/Page";
import { Time } from "@/ui/Time";
import { Trouble } from "@/ui/Trouble";

type Telemetry = Schemas["ProductTelemetry"];

const stored = queryOptions({ queryKey: ["instance", "telemetry"], queryFn: ({ signal }) => ok(api.GET("/api/instance/telemetry", { signal })) });

/** Whether figures are sent, and the exact figures. */
export function TelemetryPage() {
  const query = useQuery(stored);
  return (
    <Page title={text.frame.telemetry}>
      <Text>{texts.says}</Text>
      <Loaded query={query}>{(t) => <Setting telemetry={t} />}</Loaded>
    </Page>
  );
}

function Setting({ telemetry: t }: { telemetry: Telemetry }) {
  const client = useQueryClient();
  const put = useMutation({
    mutationFn: (enabled: boolean) => ok(api.PUT("/api/instance/telemetry", { params: { header: ifMatch(t) }, body: { enabled } })),
    onSuccess: (now) => {
      client.setQueryData(stored.queryKey, now);
      notice(text.form.saved);
    },
    onError: () => client.invalidateQueries({ queryKey: stored.queryKey }),
  });
  return (
    <Stack>
      {!t.sends && <div className="note">{texts.nowhere}</div>}
      {put.isError && <Trouble error={put.error} />}
      <Switch label={texts.enabled} checked={t.enabled} disabled={put.isPending} onChange={(e) => put.mutate(e.currentTarget.checked)} />
      {t.updatedAt && (
        <Text size="sm">
          {texts.updated} <Time at={t.updatedAt} />
        </Text>
      )}
      <section>
        <Title order={2} size="h4">
          {texts.preview}
        </Title>
        <Facts of={(Object.keys(texts.fields) as (keyof typeof texts.fields)[]).map((f) => [texts.fields[f], String(t.preview[f])])} />
      </section>
    </Stack>
  );
}
