import { Stack, Text } from "@mantine/core";
import { answer, api } from "@/api/client";
import type { Schemas } from "@/api/queries";
import { records } from "@/texts/records";
import { staticAnalysis as texts } from "@/texts/staticAnalysis";
import { Analysers, Download } from "@/pages/run/Analysers";
import type { Column } from "@/ui/ListTable";
import { RunLink } from "@/ui/RunLink";
import { StateMark, type Tone } from "@/ui/StateMark";
import { Listed, madeAt, type Place } from "./Listed";

type StaticRun = Schemas["SastRun"];

const tones: Record<StaticRun["state"], Tone> = { waiting: "quiet", running: "busy", completed: "good", failed: "bad" };

/** The state of a run, with the reason of a failure. */
function State({ run }: { run: StaticRun }) {
  return (
    <Stack gap={0} align="flex-start">
      <StateMark tone={tones[run.state]}>{texts.states[run.state]}</StateMark>
      <Text size="sm" c="dimmed">
        {run.reason === "" ? texts.sources[run.source] : run.reason}
      </Text>
    </Stack>
  );
}

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
