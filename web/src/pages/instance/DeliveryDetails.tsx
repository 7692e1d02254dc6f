import { Stack, Text, Title } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { myTenantsQuery, type Schemas } from "@/api/queries";
import { text } from "@/texts";
import { deliveries as texts } from "@/texts/instance";
import { wordOf } from "@/texts/terms";
import { exactTime } from "@/ui/format";
import { Facts } from "@/ui/Facts";
import { RunLink } from "@/ui/RunLink";

type Delivery = Schemas["Delivery"];

/** Every step that a delivery took. Its run is a link for who belongs to the tenant. */
export function DeliveryDetails({ delivery: d, host }: { delivery: Delivery; host: string }) {
  const { data: mine } = useQuery(myTenantsQuery);
  const within = mine?.items.some((t) => t.id === d.tenantId) ?? false;
  return (
    <Stack>
      <Facts
        of={[
          [texts.guid, d.guid],
          [texts.host, host],
          [texts.event, d.action ? `${d.event}.${d.action}` : d.event],
          [texts.received, exactTime(d.receivedAt)],
          [texts.processed, d.processedAt ? exactTime(d.processedAt) : ""],
          [texts.reason, wordOf(texts.reasons)(d.reason)],
          [texts.source, d.sourceId],
          [texts.tenant, d.tenantId ?? ""],
          [
            texts.run,
            d.runId && within && d.tenantId && d.runRepositoryId ? (
              <RunLink key="run" tenantId={d.tenantId} repositoryId={d.runRepositoryId} runId={d.runId}>
                {d.runId}
              </RunLink>
            ) : (
              (d.runId ?? "")
            ),
          ],
          [texts.runState, wordOf(text.runs.state)(d.runState ?? "")],
        ]}
      />
      <Title order={3} size="h4">
        {texts.jobs}
      </Title>
      {d.jobs.length === 0 && <Text>{texts.noJobs}</Text>}
      {d.jobs.map((j) => (
        <div key={j.id} className="note quiet">
          <Facts
            of={[
              [texts.job, j.id],
              [texts.jobState, wordOf(texts.jobStates)(j.state)],
              [texts.attempts, String(j.attempts)],
              [texts.dispatched, j.dispatchedAt ? exactTime(j.dispatchedAt) : ""],
              [texts.finished, j.finishedAt ? exactTime(j.finishedAt) : ""],
              [texts.error, j.lastError],
            ]}
          />
        </div>
      ))}
    </Stack>
  );
}
