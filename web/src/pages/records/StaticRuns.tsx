import { Stack, Text } from "@mantine/core";
import { answer, api } from "@/api/client";
import type { Schemas } from "@/api/queries";
import { records } from "@/texts/records";
import { staticAnalysis as texts } from "@/texts/staticAnalysis";
import { Analysers, Download } from "@/pages/run/Analysers";
import { ChoiceFilter } from "@/ui/ChoiceFilter";
import { Empty } from "@/ui/Empty";
import { FilterRow } from "@/ui/FilterBar";
import { known, oneOf } from "@/ui/filterValues";
import { type Column, ListTable } from "@/ui/ListTable";
import { RunLink } from "@/ui/RunLink";
import { StateMark, type Tone } from "@/ui/StateMark";
import { useFilters } from "@/ui/useFilters";
import { useListing } from "@/ui/useListing";
import { listKey, madeAt, type Place } from "./Listed";

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
  { key: "analysers", heading: texts.analysers, cell: (r) => r.analysers.length + r.leftOut.length > 0 && <Analysers run={r} /> },
  { key: "new", heading: texts.newFindings, cell: (r) => (r.state === "waiting" ? "" : r.newFindings), numbers: true },
  { key: "old", heading: texts.oldFindings, cell: (r) => (r.state === "waiting" ? "" : r.oldFindings), numbers: true },
  { key: "sarif", heading: texts.document, cell: (r) => <Download {...at} run={r} /> },
  madeAt(),
];

interface Filters {
  source?: StaticRun["source"];
  state?: StaticRun["state"];
}

/** Reads the filters of an address. Invalid ones are left out. */
const readSearch = (search: Record<string, unknown>): Filters => known<Filters>({ source: oneOf(texts.sources, search["source"]), state: oneOf(texts.states, search["state"]) });

/** Runs of static analysers: those of reviews, and uploaded documents. */
export function StaticRuns(at: Place) {
  const [filters, filter] = useFilters(readSearch);
  const listing = useListing<StaticRun>([...listKey(at, "sast-runs"), filters], (cursor, signal) =>
    answer(api.GET("/api/tenants/{tenantId}/repositories/{repositoryId}/sast-runs", { params: { path: { ...at }, query: { ...filters, ...(cursor ? { cursor } : {}) } }, signal })),
  );
  const filtered = Object.keys(filters).length > 0;
  return (
    <Stack gap="sm">
      <FilterRow>
        <ChoiceFilter label={texts.source} names={texts.sources} value={filters.source} apply={(source) => filter({ source })} />
        <ChoiceFilter label={records.state} names={texts.states} value={filters.state} apply={(state) => filter({ state })} />
      </FilterRow>
      <ListTable caption={records.of["sast-runs"]} columns={columns(at)} listing={listing} rowKey={(r) => r.id} empty={<Empty says={filtered ? texts.noneOfFilter : records.empty["sast-runs"]} />} />
    </Stack>
  );
}
