import { Anchor, Code, Group, Stack, Text, Title } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { api, ok } from "@/api/client";
import { isAbsent } from "@/api/problem";
import { keys, type Schemas } from "@/api/queries";
import { Absent } from "@/app/Absent";
import { webLink } from "@/pages/run/webLink";
import { fixRuns as texts } from "@/texts/fixruns";
import { records } from "@/texts/records";
import { Facts } from "@/ui/Facts";
import { count, shortSha } from "@/ui/format";
import { PageLink } from "@/ui/links";
import { Loaded } from "@/ui/Loaded";
import { Outside } from "@/ui/Outside";
import { Page } from "@/ui/Page";
import { PullLink } from "@/ui/PullLink";
import { RunLink } from "@/ui/RunLink";
import { StateMark } from "@/ui/StateMark";
import { Time } from "@/ui/Time";
import { fixRunGoesOn, fixRunPause, FixRunMark } from "./state";
import "./fixrun.css";

type FixRun = Schemas["FixRun"];
type Outcome = Schemas["FixRunOutcome"];

const route = getRouteApi("/t/$tenantId/repositories/$repositoryId/fix-runs/$fixRunId");

/** One fix run: its edits as diffs, the checks of each, and why findings have no fix. It is read again while it goes on. */
export function FixRunPage() {
  const path = route.useParams();
  const query = useQuery({
    queryKey: keys.tenant(path.tenantId, "fix-run", path.repositoryId, path.fixRunId),
    queryFn: ({ signal }) => ok(api.GET("/api/tenants/{tenantId}/repositories/{repositoryId}/fix-runs/{fixRunId}", { params: { path: { ...path } }, signal })),
    refetchInterval: (q) => (q.state.data && fixRunGoesOn(q.state.data.state) ? fixRunPause : false),
  });
  if (isAbsent(query)) return <Absent />;
  const at = { tenantId: path.tenantId, repositoryId: path.repositoryId };
  return (
    <Page title={query.data ? texts.title(query.data.number) : texts.one}>
      <Loaded query={query} lines={8}>
        {(run) => (
          <Stack>
            <Where at={at} of={run} />
            <Stack component="section" gap="sm" aria-labelledby="outcomes">
              <Title order={2} id="outcomes">
                {texts.outcomes}
              </Title>
              {run.findings ? run.findings.map((o) => <Became key={o.findingId} at={at} of={o} />) : <Text>{texts.none}</Text>}
            </Stack>
          </Stack>
        )}
      </Loaded>
    </Page>
  );
}

function Where({ at, of: run }: { at: { tenantId: string; repositoryId: string }; of: FixRun }) {
  const address = webLink(run.url);
  return (
    <Stack gap="xs">
      <Group role="status">
        <FixRunMark state={run.state} />
        <Text size="sm">{texts.fixedOf(run.passed, run.findingIds.length)}</Text>
      </Group>
      {run.reason !== "" && (
        <div className="note quiet">
          <Outside says={run.reason} />
        </div>
      )}
      <Facts
        of={[
          [texts.pull, <PullLink key="pull" {...at} number={run.number}>#{run.number}</PullLink>],
          [texts.delivery, texts.deliveries[run.delivery]],
          [texts.by, <Outside key="by" says={run.askedBy} />],
          [texts.head, <code key="head">{shortSha(run.headSha)}</code>],
          [texts.commit, run.commitSha && <code key="commit">{shortSha(run.commitSha)}</code>],
          [texts.branch, run.commitSha && run.branch && <Code key="branch"><Outside says={run.branch} /></Code>],
          [texts.usage, run.usage && texts.usageOf(run.usage.calls, count(run.usage.inputTokens), count(run.usage.outputTokens))],
          [records.at, <Time key="at" at={run.createdAt} />],
        ]}
      />
      <Group>
        <RunLink {...at} runId={run.runId}>
          {texts.review}
        </RunLink>
        {address && (
          <Anchor href={address} rel="noreferrer">
            {texts.open}
          </Anchor>
        )}
      </Group>
    </Stack>
  );
}

/** The title of a finding; a word for it until it is known. */
function FindingTitle({ at, id }: { at: { tenantId: string; repositoryId: string }; id: string }) {
  const { data } = useQuery({
    queryKey: keys.tenant(at.tenantId, "finding", id),
    queryFn: ({ signal }) => ok(api.GET("/api/tenants/{tenantId}/repositories/{repositoryId}/findings/{findingId}", { params: { path: { ...at, findingId: id } }, signal })),
  });
  return data ? <Outside says={data.title} /> : texts.finding;
}

/** The order in which the outcomes of checks are named. */
const outcomes = ["failed", "passed", "not applicable"] as const;

/** The texts of an outcome, in the order in which they are shown. */
const remarks = ["summary", "sentence", "path", "note"] as const;

/** What became of one finding. */
function Became({ at, of: o }: { at: { tenantId: string; repositoryId: string }; of: Outcome }) {
  const checks = outcomes.map((outcome) => ({ outcome, names: o.checks.filter((c) => c.outcome === outcome).map((c) => texts.checkNames[c.name]) }));
  return (
    <Stack gap="xs" className="note quiet">
      <Group>
        <StateMark tone={o.passed ? "good" : "warn"}>{o.passed ? texts.fixed : texts.refused}</StateMark>
        <PageLink to="/t/$tenantId/repositories/$repositoryId/findings/$findingId" params={{ ...at, findingId: o.findingId }}>
          <FindingTitle at={at} id={o.findingId} />
        </PageLink>
      </Group>
      {remarks.map((name) => o[name] && <Text key={name} className="outside"><Outside says={o[name]} /></Text>)}
      {o.edits.map((e) => (
        <Stack key={`${e.path}:${e.start}`} gap={0}>
          <Code>
            <Outside says={texts.lines(e.path, e.start, e.end)} />
          </Code>
          <Code block className="fix-diff">
            <Outside says={[...signed("-", e.removed), ...signed("+", e.replacement)].join("\n")} />
          </Code>
        </Stack>
      ))}
      {checks.map(
        ({ outcome, names }) =>
          names.length > 0 && (
            <Text key={outcome} size="sm">
              {texts.checkOutcomes[outcome]}: {names.join(", ")}
            </Text>
          ),
      )}
    </Stack>
  );
}

/** The lines of one side of an edit, as a diff shows them. */
const signed = (sign: string, code: string) => (code === "" ? [] : code.split("\n").map((line) => `${sign} ${line}`));
