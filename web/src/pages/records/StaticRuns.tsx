import { Anchor, Stack, Text } from "@mantine/core";
import { answer, api } from "@/api/client";
import type { Schemas } from "@/api/queries";
import { records } from "@/texts/records";
import { staticAnalysis as texts } from "@/texts/staticAnalysis";
import { duration } from "@/pages/run/timeline";
import { Outside } from "@/ui/Outside";
import type { Column } from "@/ui/ListTable";
import { RunLink } from "@/ui/RunLink";
import { StateMark, type Tone } from "@/ui/StateMark";
import { Listed, madeAt, type Place } from "./Listed";

type StaticRun = Schemas["SastRun"];

const tones: Record<StaticRun["state"], Tone> = { waiting: "quiet", running: "busy", completed: "good", failed: "bad" };

/** The state of a run, with the reason of a failure. */
function State({ run }: { run: StaticRun }) {
  return (
    <Stack gap={0}>
      <StateMark tone={tones[run.state]}>{texts.states[run.state]}</StateMark>
      <Text size="sm" c="dimmed">
        {run.reason === "" ? texts.sources[run.source] : run.reason}
      </Text>
    </Stack>
  );
}

/** The analysers of a run, each with its version and duration. */
export function Analysers({ run }: { run: StaticRun }) {
  return (
    <Stack gap={0}>
      {run.analysers.map((a, i) => (
        <span key={i} className="outside">
          <Outside says={[a.name, a.version].filter((s) => s !== "").join(" ")} />
          {a.durationMs > 0 && `, ${duration(a.durationMs)}`}
          {a.suppressed > 0 && `, ${texts.suppressed(a.suppressed)}`}
          {a.failed && `, ${texts.unfinished}`}
        </span>
      ))}
      <LeftOut run={run} />
    </Stack>
  );
}

/** The results that the review could not use, with their reasons. */
function LeftOut({ run }: { run: StaticRun }) {
  if (run.leftOut.length === 0) return null;
  return (
    <details>
      <summary>{texts.leftOut(run.leftOut.reduce((n, l) => n + l.count, 0))}</summary>
      <ul>
        {run.leftOut.map((l, i) => (
          <li key={i} className="outside wrap-anywhere">
            <Outside says={texts.note(l.analyser, l.why, l.count)} />
            {(l.examples ?? []).map((e) => (
              <Text key={e} size="sm" c="dimmed">
                <Outside says={e} />
              </Text>
            ))}
          </li>
        ))}
      </ul>
    </details>
  );
}

/** The link to the SARIF of a run. */
export const Download = ({ tenantId, repositoryId, run }: Place & { run: StaticRun }) => (
  <Anchor href={`/api/tenants/${tenantId}/repositories/${repositoryId}/sast-runs/${run.id}/sarif`} download size="sm" aria-label={texts.downloadOf(run.headSha.slice(0, 7))}>
    {texts.download}
  </Anchor>
);

const columns = (at: Place): readonly Column<StaticRun>[] => [
  { key: "state", heading: records.state, cell: (r) => <State run={r} /> },
  { key: "head", heading: records.head, cell: (r) => (r.runId ? <RunLink {...at} runId={r.runId}>{r.headSha.slice(0, 7)}</RunLink> : <code>{r.headSha.slice(0, 7)}</code>) },
  { key: "analysers", heading: texts.analysers, cell: (r) => <Analysers run={r} /> },
  { key: "new", heading: texts.newFindings, cell: (r) => (r.state === "waiting" ? "" : r.newFindings), numbers: true },
  { key: "old", heading: texts.oldFindings, cell: (r) => (r.state === "waiting" ? "" : r.oldFindings), numbers: true },
  { key: "sarif", heading: texts.document, cell: (r) => <Download {...at} run={r} /> },
  madeAt(),
];

/** Runs of static analysers: those of reviews, and uploaded documents. */
export function StaticRuns(at: Place) {
  return (
    <Listed<StaticRun>
      at={at}
      list="sast-runs"
      columns={columns(at)}
      rowKey={(r) => r.id}
      read={(query, signal) => answer(api.GET("/api/tenants/{tenantId}/repositories/{repositoryId}/sast-runs", { params: { path: { ...at }, query }, signal }))}
    />
  );
}
