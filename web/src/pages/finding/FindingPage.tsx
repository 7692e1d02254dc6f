import { Code, Group, Stack, Table, Text, Title } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { api, ok } from "@/api/client";
import { keys, type Schemas } from "@/api/queries";
import { useMayReview } from "@/api/roles";
import { isAbsent } from "@/api/problem";
import { Absent } from "@/app/Absent";
import { FixesOf } from "@/pages/fixrun/FixesOf";
import { FixFinding } from "@/pages/fixrun/FixFinding";
import { fixRunGoesOn, fixRunPause } from "@/pages/fixrun/state";
import { Dismissing } from "@/pages/findings/Dismissing";
import { Outside } from "@/ui/Outside";
import { visible } from "@/ui/visible";
import { FindingCard } from "@/pages/run/FindingCard";
import { place } from "@/pages/run/grouping";
import { linksOf } from "@/pages/run/links";
import "@/pages/run/run.css";
import { Scroll } from "@/ui/Scroll";
import { SeverityMark } from "@/pages/run/SeverityMark";
import { RunStateMark } from "@/pages/runs/columns";
import { text } from "@/texts";
import { finding as texts } from "@/texts/finding";
import { findings as listTexts } from "@/texts/findings";
import { fixRuns } from "@/texts/fixruns";
import { run as runTexts } from "@/texts/run";
import { shortSha } from "@/ui/format";
import { PageLink } from "@/ui/links";
import { Loaded } from "@/ui/Loaded";
import { Page } from "@/ui/Page";
import { ReviewPull } from "@/ui/ReviewPull";
import { StateMark } from "@/ui/StateMark";
import { Time } from "@/ui/Time";
import { Dismissal } from "./Dismissal";

type History = Schemas["FindingHistory"];
type Links = ReturnType<typeof linksOf>;

const route = getRouteApi("/t/$tenantId/repositories/$repositoryId/findings/$findingId");

/** One finding with what reviews saw of it and what people decided about it. */
export function FindingPage() {
  const path = route.useParams();
  const query = useQuery({
    queryKey: keys.tenant(path.tenantId, "finding", path.findingId),
    queryFn: ({ signal }) => ok(api.GET("/api/tenants/{tenantId}/repositories/{repositoryId}/findings/{findingId}", { params: { path: { ...path } }, signal })),
    refetchInterval: (q) => (q.state.data?.fixes.some((f) => fixRunGoesOn(f.state)) ? fixRunPause : false),
  });
  if (isAbsent(query)) return <Absent />;
  return (
    <Dismissing tenantId={path.tenantId} repositoryId={path.repositoryId} open={query.data?.state === "open" && query.data.whyNotDismiss === "" ? [path.findingId] : []}>
      <Page title={query.data ? visible(query.data.title) : listTexts.one} actions={query.data && <Acts path={path} of={query.data} />}>
        <Loaded query={query} lines={8}>
          {(f) => <Known at={{ tenantId: path.tenantId, repositoryId: path.repositoryId }} finding={f} links={linksOf(path.tenantId, path.repositoryId, f.lastRunId)} />}
        </Loaded>
      </Page>
    </Dismissing>
  );
}

/** What a person can do with a finding. */
function Acts({ path, of: f }: { path: { tenantId: string; repositoryId: string; findingId: string }; of: History }) {
  return (
    <Group gap="xs">
      {f.whyNotFix === "" && <FixFinding {...path} runId={f.lastRunId} deliveries={f.fixDeliveries} />}
      <Dismissal path={path} state={f.state} whyNot={f.whyNotDismiss} />
    </Group>
  );
}

/** The state of a finding now, with the person who dismissed it and the reason. */
function StateNow({ of: f }: { of: History }) {
  const last = f.decisions.find((d) => d.kind === "dismissal");
  return (
    <Group gap="xs" role="status">
      <StateMark tone={f.state === "open" ? "warn" : f.state === "resolved" ? "good" : "quiet"}>{listTexts.states[f.state]}</StateMark>
      {f.state === "dismissed" && last && (
        <Text component="span" size="sm" className="outside">
          {last.name && (
            <>
              {texts.by} <Outside says={last.name} />
              {", "}
            </>
          )}
          {last.at && <Time at={last.at} />}
          {last.why !== "" && (
            <>
              {": "}
              <Outside says={last.why} />
            </>
          )}
        </Text>
      )}
    </Group>
  );
}

function Known({ at, finding: f, links }: { at: { tenantId: string; repositoryId: string }; finding: History; links: Links }) {
  const mayReview = useMayReview(at.tenantId, at.repositoryId);
  return (
    <Stack>
      <StateNow of={f} />
      {f.unjudgedBy && (
        <Group className="note" role="status" justify="space-between">
          {texts.unjudged}
          {mayReview && <ReviewPull {...at} request={{ number: f.pullRequest.number, reviewedBy: f.unjudgedBy }} />}
        </Group>
      )}
      {f.state === "open" && f.whyNotFix !== "" && (
        <Text size="sm" c="dimmed">
          {texts.noFix} {f.whyNotFix}
        </Text>
      )}
      <Text>
        #{f.pullRequest.number} <Outside says={f.pullRequest.title} /> ({runTexts.pullState[f.pullRequest.state]})
      </Text>
      <Group gap="md">
        <PageLink size="sm" {...links.repository}>
          {runTexts.repository}
        </PageLink>
        <PageLink size="sm" {...links.pull(f.pullRequest.number)}>
          {runTexts.otherRuns}
        </PageLink>
        <Review says={texts.first} run={f.firstRunId} links={links} />
        <Review says={texts.posted} run={f.postedRunId} links={links} />
        <Review says={texts.resolved} run={f.resolvedRunId} links={links} />
      </Group>
      <FindingCard finding={f} links={links} standalone order={2} />
      <section>
        <Title order={2} size="h4">
          {fixRuns.runs}
        </Title>
        <FixesOf at={at} of={f.fixes} />
      </section>
      <section>
        <Title order={2} size="h4">
          {texts.history}
        </Title>
        <Sightings of={f.sightings} links={links} />
      </section>
      <section>
        <Title order={2} size="h4">
          {texts.decisions}
        </Title>
        {f.suppressionId && (
          <Text>
            <PageLink {...links.suppression(f.suppressionId)}>{runTexts.dropped.suppression}</PageLink>
          </Text>
        )}
        {f.decisions.length === 0 ? <Text>{texts.noDecision}</Text> : <Decisions of={f.decisions} links={links} />}
      </section>
      <section>
        <Title order={2} size="h4">
          {texts.outcomes}
        </Title>
        {f.outcomes.length === 0 ? <Text>{texts.noOutcome}</Text> : <Outcomes of={f.outcomes} />}
      </section>
      <section>
        <Title order={2} size="h4">
          {texts.replies}
        </Title>
        {f.replies.length === 0 ? <Text>{texts.noReply}</Text> : <Replies of={f.replies} />}
      </section>
    </Stack>
  );
}

function Review({ says, run, links }: { says: string; run: string | undefined; links: Links }) {
  if (!run) return null;
  return (
    <Text size="sm">
      {says} <PageLink {...links.run(run)}>{texts.thatReview}</PageLink>
    </Text>
  );
}

function Sightings({ of, links }: { of: History["sightings"]; links: Links }) {
  return (
    <Scroll label={texts.historyCaption} width={640}>
      <Table>
        <Table.Thead>
          <Table.Tr>
            {[texts.at, texts.review, texts.head, listTexts.severity, text.common.state, texts.place, texts.verdict, texts.route].map((h) => (
              <Table.Th key={h} scope="col">
                {h}
              </Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {of.map((s) => (
            <Table.Tr key={s.runId}>
              <Table.Td>
                <PageLink {...links.run(s.runId)}>
                  <Time at={s.at} inside />
                </PageLink>
              </Table.Td>
              <Table.Td>
                <RunStateMark state={s.runState} />
              </Table.Td>
              <Table.Td>
                <code>{shortSha(s.headSha)}</code>
              </Table.Td>
              <Table.Td>
                <SeverityMark severity={s.severity} />
              </Table.Td>
              <Table.Td>{listTexts.states[s.state]}</Table.Td>
              <Table.Td>
                <Code><Outside says={place(s)} /></Code>
              </Table.Td>
              <Table.Td>{runTexts.findings.verdict(s.verdict)}</Table.Td>
              <Table.Td>{runTexts.findings.route(s.route)}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Scroll>
  );
}

function Outcomes({ of }: { of: History["outcomes"] }) {
  return (
    <ul>
      {of.map((o) => (
        <li key={`${o.kind} ${o.by ?? ""} ${o.name ?? ""} ${o.at}`}>
          {texts.outcome[o.kind]}
          {o.name && (
            <Text component="span" className="outside">
              {" "}
              (<Outside says={o.name} />)
            </Text>
          )}
          , <Time at={o.at} />
        </li>
      ))}
    </ul>
  );
}

function Replies({ of }: { of: History["replies"] }) {
  return (
    <ul>
      {of.map((r) => (
        <li key={r.id}>
          {texts.replied[r.outcome]}, <Time at={r.at} />
          {r.why !== "" && `: ${r.why}`}
        </li>
      ))}
    </ul>
  );
}

function Decisions({ of, links }: { of: History["decisions"]; links: Links }) {
  return (
    <ul>
      {of.map((d) => (
        <li key={`${d.kind} ${d.id}`}>
          <Text>
            <StateMark tone="quiet">{texts.decided[d.state]}</StateMark> {texts.decision[d.kind]}
            {d.name && (
              <>
                {" "}
                {texts.by} <Outside says={d.name} />
              </>
            )}
            {d.at && (
              <>
                , <Time at={d.at} />
              </>
            )}
            {d.why !== "" && (
              <Text component="span" className="outside">
                : <Outside says={d.why} />
              </Text>
            )}{" "}
            {d.runId && <PageLink {...links.run(d.runId)}>{texts.review}</PageLink>}
            {d.kind === "suppression" && <PageLink {...links.suppression(d.id)}>{texts.suppression}</PageLink>}
          </Text>
        </li>
      ))}
    </ul>
  );
}
