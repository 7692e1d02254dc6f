import { Button, Group, NativeSelect, Stack, Text, Title } from "@mantine/core";
import { answer, api } from "@/api/client";
import { reviewRequest, useOpenPulls, useReview } from "@/api/pulls";
import { keys, type Schemas } from "@/api/queries";
import { useMayManage } from "@/api/roles";
import { visible } from "@/ui/visible";
import { SeverityCounts } from "@/pages/run/SeverityCounts";
import { RunStateMark } from "@/pages/runs/columns";
import { text } from "@/texts";
import { pull } from "@/texts/pull";
import { repository as texts } from "@/texts/repository";
import { Empty } from "@/ui/Empty";
import { ButtonLink } from "@/ui/links";
import { Line } from "@/ui/Line";
import { ListTable, type Column } from "@/ui/ListTable";
import { notice } from "@/ui/notice";
import { OpenPullsNote } from "@/ui/OpenPullsNote";
import { Outside } from "@/ui/Outside";
import { PullLink } from "@/ui/PullLink";
import { ReviewByNumber } from "@/ui/ReviewByNumber";
import { RunLink } from "@/ui/RunLink";
import { StateMark } from "@/ui/StateMark";
import { Time } from "@/ui/Time";
import { Trouble } from "@/ui/Trouble";
import { useListing } from "@/ui/useListing";
import { useFilters } from "@/ui/useFilters";
import { readSearch } from "./route";

type Pull = Schemas["ListedPull"];

interface Props {
  tenantId: string;
  repositoryId: string;
  /** The service reaches the repository, so that the code host can be asked what is open. */
  connected: boolean;
}

/** The pull requests of a repository with their last review, and the way to ask for one. */
export function PullRequests({ tenantId, repositoryId, connected }: Props) {
  const [{ state }, filter] = useFilters(readSearch);
  const mayAsk = useMayManage(tenantId, repositoryId);
  const path = { tenantId, repositoryId };
  const key = keys.tenant(tenantId, "pull-requests", repositoryId, { state });
  const listing = useListing(key, (cursor, signal) =>
    answer(api.GET("/api/tenants/{tenantId}/repositories/{repositoryId}/pull-requests", { params: { path, query: { ...(state ? { state } : {}), ...(cursor ? { cursor } : {}) } }, signal })),
  );
  const open = useOpenPulls(tenantId, repositoryId, connected);
  const asking = useReview(tenantId, repositoryId, (run) => notice(pull.begun(run.pullRequest.number)));
  const ask: Column<Pull> = {
    key: "now",
    heading: texts.act,
    cell: (p) =>
      p.state === "open" && (
        <Button size="compact-sm" variant="default" aria-label={texts.nowOf(p.number)} loading={asking.isPending && asking.variables?.number === p.number} onClick={() => asking.mutate(reviewRequest(p))}>
          {texts.now}
        </Button>
      ),
  };
  const clear = (
    <ButtonLink to="/t/$tenantId/repositories/$repositoryId" params={path} className="clears" variant="default">
      {texts.clear}
    </ButtonLink>
  );
  const begin = mayAsk && <ReviewByNumber busy={asking.isPending} ask={(number) => asking.mutate({ number, reviewedBy: "" })} />;
  return (
    <Stack component="section" gap="sm">
      <Title order={2}>{texts.pulls}</Title>
      <Group>
        <NativeSelect
          label={text.common.state}
          autoComplete="off"
          value={state ?? ""}
          data={[{ value: "", label: text.common.all }, ...Object.entries(pull.states).map(([value, label]) => ({ value, label }))]}
          onChange={(e) => filter({ state: e.currentTarget.value })}
        />
      </Group>
      <OpenPullsNote of={open} />
      {mayAsk && (open.data?.leftOut ?? 0) > 0 && begin}
      {asking.isError && <Trouble error={asking.error} />}
      <ListTable steady caption={texts.pullsCaption} columns={[...columns(tenantId, repositoryId), ...(mayAsk ? [ask] : [])]} listing={listing} rowKey={(p) => String(p.number)} empty={<Empty says={state ? texts.empty : texts.none} action={state ? clear : begin} />} />
    </Stack>
  );
}

const columns = (tenantId: string, repositoryId: string): readonly Column<Pull>[] => [
  {
    key: "pull",
    heading: texts.pull,
    wide: true,
    cell: (p) => (
      <>
        <Line full={p.title}>
          <PullLink tenantId={tenantId} repositoryId={repositoryId} number={p.number}>
            #{p.number} <Outside says={p.title} />
          </PullLink>
        </Line>
        <Line quiet>{[visible(p.author), pull.states[p.state], ...(p.draft ? [pull.draft] : []), ...(p.paused ? [texts.paused] : [])].join(", ")}</Line>
        {p.uncheckedSince && (
          <Text size="sm">
            {texts.unchecked} <Time at={p.uncheckedSince} />
          </Text>
        )}
      </>
    ),
  },
  { key: "base", heading: texts.base, cell: (p) => (
    <code>
      <Outside says={p.baseRef} />
    </code>
  ) },
  { key: "findings", heading: texts.findings, cell: (p) => <SeverityCounts of={p.openBySeverity} /> },
  {
    key: "run",
    heading: texts.run,
    cell: (p) =>
      p.lastRun ? (
        <Group gap="xs">
          <RunStateMark state={p.lastRun.state} />
          <RunLink tenantId={tenantId} repositoryId={repositoryId} runId={p.lastRun.id}>
            <Time at={p.lastRun.createdAt} inside />
          </RunLink>
        </Group>
      ) : (
        <StateMark tone="quiet">{texts.never}</StateMark>
      ),
  },
];
