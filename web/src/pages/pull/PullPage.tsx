import { Anchor, Code, Group, Stack, Title } from "@mantine/core";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { useEffect, useRef } from "react";
import { reviewRequest, pullQuery, type PullPath } from "@/api/pulls";
import { isAbsent } from "@/api/problem";
import { keys, type Schemas } from "@/api/queries";
import { Absent } from "@/app/Absent";
import { visible } from "@/ui/visible";
import { SeverityCounts } from "@/pages/run/SeverityCounts";
import { isOver } from "@/pages/run/types";
import { webLink } from "@/pages/run/webLink";
import "@/pages/run/run.css";
import { failedJobs } from "@/texts/failedJobs";
import { fixRuns } from "@/texts/fixruns";
import { pull as texts } from "@/texts/pull";
import { Facts } from "@/ui/Facts";
import { shortSha } from "@/ui/format";
import { Loaded } from "@/ui/Loaded";
import { Outside } from "@/ui/Outside";
import { Page } from "@/ui/Page";
import { ReviewPull } from "@/ui/ReviewPull";
import { RunLink } from "@/ui/RunLink";
import { StateMark, type Tone } from "@/ui/StateMark";
import { Time } from "@/ui/Time";
import { Cost } from "./Cost";
import { FailedJobsOfHead } from "./FailedJobsOfHead";
import { FixRunsOfPull } from "./FixRunsOfPull";
import { following } from "./following";
import { PullFindings } from "./PullFindings";
import { Reviews } from "./Reviews";
import { Tickets } from "./Tickets";

type Pull = Schemas["PullRequestDetail"];

const route = getRouteApi("/t/$tenantId/repositories/$repositoryId/pulls/$number");

const tones: Record<Schemas["HeadCheck"]["conclusion"], Tone> = { success: "good", neutral: "quiet", failure: "bad", skipped: "quiet", pending: "busy", unknown: "busy" };

/** One pull request: what its reviews found over its life, what they cost, and the way to request another one. */
export function PullPage() {
  const path = route.useParams();
  const query = useQuery({ ...pullQuery(path), refetchInterval: (q) => (q.state.data?.lastRun && !isOver(q.state.data.lastRun.state) ? following : false) });
  const p = query.data;
  useEndOfReview(path, p?.lastRun?.state);
  if (isAbsent(query)) return <Absent />;
  return (
    <Page title={p ? texts.title(p.number, visible(p.title)) : texts.one} actions={p?.mayReview ? <ReviewPull tenantId={path.tenantId} repositoryId={path.repositoryId} request={reviewRequest(p)} /> : undefined}>
      <Loaded query={query} lines={8}>
        {(loaded) => <Parts path={path} pull={loaded} />}
      </Loaded>
    </Page>
  );
}

/** Reads every part of the page again when a review ends. */
function useEndOfReview({ tenantId, repositoryId }: PullPath, state: Schemas["ReviewRun"]["state"] | undefined) {
  const client = useQueryClient();
  const running = useRef(false);
  const over = state !== undefined && isOver(state);
  useEffect(() => {
    if (over && running.current) void client.invalidateQueries({ queryKey: keys.tenant(tenantId, "pull-requests", repositoryId) });
    running.current = state !== undefined && !over;
  }, [client, over, repositoryId, state, tenantId]);
}

function Parts({ path, pull: p }: { path: PullPath; pull: Pull }) {
  const at = { tenantId: path.tenantId, repositoryId: path.repositoryId };
  return (
    <Stack gap="lg">
      <Glance at={at} pull={p} />
      <section>
        <Title order={2}>{texts.tickets}</Title>
        <Tickets path={path} />
      </section>
      <section>
        <Title order={2}>{texts.findings}</Title>
        <PullFindings {...at} number={p.number} />
      </section>
      <section>
        <Title order={2}>{texts.reviews}</Title>
        <Reviews {...at} number={p.number} />
      </section>
    </Stack>
  );
}

function Glance({ at, pull: p }: { at: { tenantId: string; repositoryId: string }; pull: Pull }) {
  const host = webLink(p.hostUrl);
  return (
    <section aria-label={texts.one}>
      <Group gap="sm">
        <StateMark tone={p.state === "open" ? "good" : "quiet"}>{texts.states[p.state]}</StateMark>
        {p.draft && <StateMark tone="quiet">{texts.draft}</StateMark>}
        {p.paused && <StateMark tone="warn">{texts.paused}</StateMark>}
        {host !== "" && (
          <Anchor href={host} rel="noreferrer">
            {texts.onHost}
          </Anchor>
        )}
      </Group>
      <Facts
        of={[
          [texts.by, <Outside key="by" says={p.author} />],
          [
            texts.branches,
            <Code key="branches">
              <Outside says={texts.into(p.headRef ?? "", p.baseRef)} />
            </Code>,
          ],
          [texts.head, <Code key="head">{shortSha(p.headSha)}</Code>],
          [p.awaitingBySeverity ? texts.publishedFindings : texts.openFindings, <SeverityCounts key="findings" of={p.openBySeverity} none={texts.noFindings} />],
          ...(p.awaitingBySeverity ? [[texts.awaiting, <SeverityCounts key="awaiting" of={p.awaitingBySeverity} none={texts.noFindings} />] as const] : []),
          [texts.checks, <Checks key="checks" at={at} checks={p.checks} />],
          [failedJobs.ofPull, <FailedJobsOfHead key="jobs" {...at} number={p.number} head={p.headSha} />],
          [fixRuns.runs, <FixRunsOfPull key="fixes" {...at} number={p.number} />],
          [texts.rounds, String(p.rounds)],
          [texts.cost, <Cost key="cost" {...at} cost={p.cost} />],
        ]}
      />
      {p.awaitingBySeverity && p.lastRun && (
        <div className="note">
          {texts.awaits}{" "}
          <RunLink {...at} runId={p.lastRun.id} tab="approval">
            {texts.decide}
          </RunLink>
        </div>
      )}
      {p.uncheckedSince && (
        <div className="note bad">
          {texts.unchecked} <Time at={p.uncheckedSince} />.
        </div>
      )}
    </section>
  );
}

function Checks({ at, checks }: { at: { tenantId: string; repositoryId: string }; checks: Pull["checks"] }) {
  if (checks.length === 0) return <>{texts.noCheck}</>;
  return (
    <Group gap="xs">
      {checks.map((c) => (
        <RunLink key={`${c.runId} ${c.place ?? ""}`} {...at} runId={c.runId}>
          <StateMark tone={tones[c.conclusion]}>{texts.conclusions[c.conclusion]}</StateMark>
        </RunLink>
      ))}
    </Group>
  );
}
