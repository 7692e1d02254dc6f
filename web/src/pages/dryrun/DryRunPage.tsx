import { Button, Group, Progress, Stack, Text, Title } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { api, ok } from "@/api/client";
import { keys } from "@/api/queries";
import { useMayManage } from "@/api/roles";
import { isAbsent } from "@/api/problem";
import { Absent } from "@/app/Absent";
import { dryRun as texts } from "@/texts/dryrun";
import { confirm } from "@/ui/confirm";
import { Facts } from "@/ui/Facts";
import { span } from "@/ui/format";
import { Loaded } from "@/ui/Loaded";
import { notice } from "@/ui/notice";
import { Page } from "@/ui/Page";
import { Time, useNow } from "@/ui/Time";
import { Trouble } from "@/ui/Trouble";
import { Overrides } from "./Overrides";
import { PullSheet } from "./PullSheet";
import { type DryRun, dryRunGoesOn, type DryRunPath, dryRunQuery, progressOf } from "./queries";
import { DryRunMark } from "./state";
import { Totals } from "./Totals";

const route = getRouteApi("/t/$tenantId/repositories/$repositoryId/dry-runs/$dryRunId");

/** One dry run: how it stands, what reviews would have been, and how they differ from those that were published. */
export function DryRunPage() {
  const path = route.useParams();
  const query = useQuery(dryRunQuery(path));
  const mayManage = useMayManage(path.tenantId, path.repositoryId);
  const goesOn = query.data !== undefined && dryRunGoesOn(query.data.state);
  if (isAbsent(query)) return <Absent />;
  return (
    <Page title={query.data?.label || texts.unnamed} actions={goesOn && mayManage && <Cancel path={path} />}>
      <Loaded query={query} lines={10}>
        {(d) => (
          <>
            <Where of={d} />
            <Overrides of={d.overrides} />
            {d.result && <Totals of={d.result.totals} />}
            <Pulls path={path} of={d} />
          </>
        )}
      </Loaded>
    </Page>
  );
}

function Where({ of: d }: { of: DryRun }) {
  const now = useNow();
  const goesOn = dryRunGoesOn(d.state);
  const { over, of } = progressOf(d);
  const took = d.startedAt ? (d.finishedAt ? Date.parse(d.finishedAt) : now) - Date.parse(d.startedAt) : undefined;
  return (
    <Stack gap="xs">
      <Group>
        <DryRunMark state={d.state} />
        {d.createdBy === "" && <Text size="sm">{texts.by}</Text>}
      </Group>
      {texts.sentence[d.state] !== "" && <div className={d.state === "failed" ? "note bad" : "note"}>{texts.sentence[d.state]}</div>}
      {d.reason !== "" && <div className="note quiet">{d.reason}</div>}
      {goesOn && (
        <>
          <Text role="status">{texts.progress(over, of)}</Text>
          {of > 0 && <Progress value={(100 * over) / of} aria-label={texts.progress(over, of)} />}
        </>
      )}
      <Facts
        of={[
          [texts.made, <Time key="made" at={d.createdAt} />],
          [texts.took, took !== undefined && span(took)],
        ]}
      />
    </Stack>
  );
}

function Pulls({ path, of: d }: { path: DryRunPath; of: DryRun }) {
  const pulls = d.result?.pullRequests ?? [];
  return (
    <Stack component="section" gap="sm" aria-labelledby="pulls">
      <Title order={2} id="pulls">
        {texts.pulls}
      </Title>
      {pulls.length === 0 ? <Text>{texts.nonePulls}</Text> : pulls.map((p) => <PullSheet key={p.number} path={path} of={p} over={!dryRunGoesOn(d.state)} />)}
    </Stack>
  );
}

function Cancel({ path }: { path: DryRunPath }) {
  const client = useQueryClient();
  const sent = useMutation({
    mutationFn: () => ok(api.POST("/api/tenants/{tenantId}/repositories/{repositoryId}/dry-runs/{dryRunId}/cancel", { params: { path: { ...path } } })),
    onSuccess: () => notice(texts.cancelled),
    onSettled: () => {
      void client.invalidateQueries({ queryKey: dryRunQuery(path).queryKey });
      void client.invalidateQueries({ queryKey: keys.tenant(path.tenantId, "dry-runs", path.repositoryId) });
    },
  });
  return (
    <Stack gap="xs" align="flex-end">
      <Button variant="default" loading={sent.isPending} onClick={() => confirm({ title: texts.cancelTitle, says: texts.cancelSays, does: texts.cancelDoes, then: () => sent.mutate() })}>
        {texts.cancel}
      </Button>
      {sent.isError && <Trouble error={sent.error} />}
    </Stack>
  );
}
