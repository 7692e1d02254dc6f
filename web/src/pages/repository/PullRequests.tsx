import { useState } from "react";
import { Button, Group, NativeSelect, NumberInput, Stack, Text, Title } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { answer, api, ok } from "@/api/client";
import { keys, type Schemas } from "@/api/queries";
import { useMayManage } from "@/api/roles";
import { RunStateMark } from "@/pages/runs/columns";
import { text } from "@/texts";
import { repository as texts } from "@/texts/repository";
import { Empty } from "@/ui/Empty";
import { ButtonLink } from "@/ui/links";
import { ListTable, type Column } from "@/ui/ListTable";
import { notice } from "@/ui/notice";
import { RunLink } from "@/ui/RunLink";
import { StateMark } from "@/ui/StateMark";
import { Time } from "@/ui/Time";
import { Trouble } from "@/ui/Trouble";
import { useListing } from "@/ui/useListing";
import { useFilters } from "@/ui/useFilters";
import { readSearch } from "./route";

type Pull = Schemas["ListedPull"];

/** The pull requests of a repository with their last review, and the way to ask for one. */
export function PullRequests({ tenantId, repositoryId }: { tenantId: string; repositoryId: string }) {
  const [{ state }, filter] = useFilters(readSearch);
  const client = useQueryClient();
  const mayAsk = useMayManage(tenantId, repositoryId);
  const path = { tenantId, repositoryId };
  const key = keys.tenant(tenantId, "pull-requests", repositoryId, { state });
  const listing = useListing(key, (cursor, signal) =>
    answer(api.GET("/api/tenants/{tenantId}/repositories/{repositoryId}/pull-requests", { params: { path, query: { ...(state ? { state } : {}), ...(cursor ? { cursor } : {}) } }, signal })),
  );
  const asking = useMutation({
    mutationFn: (number: number) => ok(api.POST("/api/tenants/{tenantId}/repositories/{repositoryId}/pull-requests/{number}/review", { params: { path: { ...path, number: String(number) } } })),
    onSuccess: (run) => {
      notice(texts.begun(run.pullRequest.number));
      void client.invalidateQueries({ queryKey: keys.tenant(tenantId, "pull-requests", repositoryId) });
      void client.invalidateQueries({ queryKey: keys.tenant(tenantId, "repository", repositoryId) });
    },
  });
  const ask: Column<Pull> = {
    key: "now",
    heading: texts.act,
    cell: (p) =>
      p.state === "open" && (
        <Button size="compact-sm" variant="default" aria-label={texts.nowOf(p.number)} loading={asking.isPending && asking.variables === p.number} onClick={() => asking.mutate(p.number)}>
          {texts.now}
        </Button>
      ),
  };
  const clear = (
    <ButtonLink to="/t/$tenantId/repositories/$repositoryId" params={path} variant="default">
      {texts.clear}
    </ButtonLink>
  );
  const begin = mayAsk && <ByNumber busy={asking.isPending} ask={(number) => asking.mutate(number)} />;
  return (
    <Stack component="section" gap="sm">
      <Title order={2}>{texts.pulls}</Title>
      <Group>
        <NativeSelect
          label={text.common.state}
          autoComplete="off"
          value={state ?? ""}
          data={[{ value: "", label: text.common.all }, ...Object.entries(texts.states).map(([value, label]) => ({ value, label }))]}
          onChange={(e) => filter({ state: e.currentTarget.value })}
        />
      </Group>
      {asking.isError && <Trouble error={asking.error} />}
      <ListTable caption={texts.pullsCaption} columns={[...columns(tenantId, repositoryId), ...(mayAsk ? [ask] : [])]} listing={listing} rowKey={(p) => String(p.number)} empty={<Empty says={state ? texts.empty : texts.none} action={state ? clear : begin} />} />
    </Stack>
  );
}

/** Asks for the review of a pull request that the service does not have yet. */
function ByNumber({ busy, ask }: { busy: boolean; ask: (number: number) => void }) {
  const [number, enter] = useState<number | string>("");
  return (
    <Group align="flex-end">
      <NumberInput label={texts.number} min={1} allowDecimal={false} hideControls autoComplete="off" value={number} onChange={enter} />
      <Button variant="default" loading={busy} disabled={typeof number !== "number"} onClick={() => typeof number === "number" && ask(number)}>
        {texts.byNumber}
      </Button>
    </Group>
  );
}

const PullTitle = ({ of: p }: { of: Pull }) => (
  <span>
    #{p.number} <bdi>{p.title}</bdi>
  </span>
);

const columns = (tenantId: string, repositoryId: string): readonly Column<Pull>[] => [
  {
    key: "pull",
    heading: texts.pull,
    cell: (p) => (
      <Stack gap={0}>
        {p.lastRun ? (
          <RunLink tenantId={tenantId} repositoryId={repositoryId} runId={p.lastRun.id}>
            <PullTitle of={p} />
          </RunLink>
        ) : (
          <PullTitle of={p} />
        )}
        <Text size="sm" c="dimmed">
          {[p.author, texts.states[p.state], ...(p.draft ? [texts.draft] : []), ...(p.paused ? [texts.paused] : [])].join(", ")}
        </Text>
        {p.uncheckedSince && (
          <Text size="sm">
            {texts.unchecked} <Time at={p.uncheckedSince} />
          </Text>
        )}
      </Stack>
    ),
  },
  { key: "base", heading: texts.base, cell: (p) => <code>{p.baseRef}</code> },
  { key: "findings", heading: texts.findings, numbers: true, cell: (p) => p.openFindings },
  {
    key: "run",
    heading: texts.run,
    cell: (p) =>
      p.lastRun ? (
        <Group gap="xs">
          <RunStateMark state={p.lastRun.state} />
          <Time at={p.lastRun.createdAt} />
        </Group>
      ) : (
        <StateMark tone="quiet">{texts.never}</StateMark>
      ),
  },
];
