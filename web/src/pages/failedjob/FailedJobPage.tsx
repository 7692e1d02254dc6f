import { Anchor, List, Stack, Text, Title } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { api, ok } from "@/api/client";
import { isAbsent } from "@/api/problem";
import { keys, type Schemas } from "@/api/queries";
import { Absent } from "@/app/Absent";
import { Relation } from "./Relation";
import { following } from "@/pages/pull/following";
import { webLink } from "@/pages/run/webLink";
import { failedJobs as texts } from "@/texts/failedJobs";
import { records } from "@/texts/records";
import { Facts } from "@/ui/Facts";
import { shortSha } from "@/ui/format";
import { PageLink } from "@/ui/links";
import { Loaded } from "@/ui/Loaded";
import { Money } from "@/ui/Figures";
import { Outside } from "@/ui/Outside";
import { Page } from "@/ui/Page";
import { Time } from "@/ui/Time";
import { visible } from "@/ui/visible";
import "./log.css";

type Analysis = Schemas["CIAnalysis"];

const route = getRouteApi("/t/$tenantId/repositories/$repositoryId/ci-analyses/$analysisId");

const open = (a: Analysis | undefined) => a?.state === "queued" || a?.state === "running";

/** The analysis of one failed job: cause, evidence, relation to the change, and the kept log. */
export function FailedJobPage() {
  const { tenantId, repositoryId, analysisId } = route.useParams();
  const query = useQuery({
    queryKey: keys.tenant(tenantId, "records", repositoryId, "ci-analyses", analysisId),
    queryFn: ({ signal }) => ok(api.GET("/api/tenants/{tenantId}/repositories/{repositoryId}/ci-analyses/{analysisId}", { params: { path: { tenantId, repositoryId, analysisId } }, signal })),
    refetchInterval: (q) => (open(q.state.data) ? following : false),
  });
  if (isAbsent(query)) return <Absent />;
  return (
    <Page title={query.data ? texts.title(visible(query.data.job)) : texts.one}>
      <Loaded query={query} lines={8}>
        {(a) => <Parts at={{ tenantId, repositoryId }} of={a} />}
      </Loaded>
    </Page>
  );
}

function Parts({ at, of: a }: { at: { tenantId: string; repositoryId: string }; of: Analysis }) {
  const address = webLink(a.url);
  return (
    <Stack gap="lg">
      <Facts
        of={[
          [records.state, records.states[a.state]],
          [records.pull, a.number && <PageLink key="pull" to="/t/$tenantId/repositories/$repositoryId/pulls/$number" params={{ ...at, number: String(a.number) }}>{texts.pull(a.number)}</PageLink>],
          [records.head, <code key="head">{shortSha(a.headSha)}</code>],
          [texts.tool, a.tool],
          [texts.cause, a.cause && <Outside key="cause" says={a.cause} />],
          [texts.relation, a.relation && <Relation key="relation" of={a} />],
          [texts.suggestion, a.suggestion && <Outside key="suggestion" says={a.suggestion} />],
          [texts.method, a.method && texts.methods[a.method]],
          [texts.model, a.model && <Outside key="model" says={a.model} />],
          [texts.cost, a.costMicros !== null && <Money key="cost" amount={a.costMicros} currency={texts.usd} />],
          [texts.reason, a.reason && <Outside key="reason" says={a.reason} />],
          [texts.notes, a.notes.join(" ")],
          [records.at, <Time key="at" at={a.createdAt} />],
        ]}
      />
      {a.flakyBefore > 0 && <Text>{texts.history(a.flakyBefore, a.failedBefore)}</Text>}
      {address !== "" && (
        <Anchor href={address} rel="noreferrer">
          {texts.onHost}
        </Anchor>
      )}
      {a.evidence.length > 0 && (
        <section>
          <Title order={2}>{texts.evidence}</Title>
          <List>
            {a.evidence.map((e, i) => (
              <List.Item key={i}>
                {texts.sources[e.source]}, {e.path ? <Outside says={`${e.path}:${e.line}`} /> : texts.line(e.line)}: <code><Outside says={e.text} /></code>
              </List.Item>
            ))}
          </List>
        </section>
      )}
      {a.facts.length > 0 && (
        <section>
          <Title order={2}>{texts.facts}</Title>
          <List>
            {a.facts.map((f, i) => (
              <List.Item key={i}>
                <Outside says={f} />
              </List.Item>
            ))}
          </List>
        </section>
      )}
      <section>
        <Title order={2}>{texts.log}</Title>
        <Log of={a} />
      </section>
    </Stack>
  );
}

/** The kept lines of a log with their numbers, and the gaps between them. Lines of the evidence are marked. */
function Log({ of: a }: { of: Analysis }) {
  const lines = a.log ?? [];
  if (lines.length === 0) return <Text>{a.noLog || texts.noLog}</Text>;
  const marked = new Set(a.evidence.filter((e) => e.source === "log").map((e) => e.line));
  return (
    <>
      <Text>{texts.logOf(lines.filter((l) => l.line).length, a.logLines)}</Text>
      <table className="job-log" aria-label={texts.log}>
        <tbody>
          {lines.map((l, i) => (
            <tr key={i} className={l.line && marked.has(l.line) ? "job-log-marked" : undefined}>
              <th scope="row">{l.line ?? ""}</th>
              <td>{l.line ? <Outside says={l.text ?? ""} /> : texts.gap(l.leftOut ?? 0)}</td>
              <td className="job-log-note">{l.line && marked.has(l.line) ? texts.marked : ""}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </>
  );
}
