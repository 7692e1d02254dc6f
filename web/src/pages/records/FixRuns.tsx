import { NativeSelect, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { answer, api, ok } from "@/api/client";
import type { Schemas } from "@/api/queries";
import { fixRunGoesOn, fixRunPause, FixRunMark } from "@/pages/fixrun/state";
import { fixRuns as texts } from "@/texts/fixruns";
import { records } from "@/texts/records";
import { Empty } from "@/ui/Empty";
import { Facts } from "@/ui/Facts";
import { FilterRow } from "@/ui/FilterBar";
import { known, oneOf } from "@/ui/filterValues";
import { PageLink } from "@/ui/links";
import { type Column, ListTable } from "@/ui/ListTable";
import { Outside } from "@/ui/Outside";
import { Loaded } from "@/ui/Loaded";
import { useFilters } from "@/ui/useFilters";
import { useListing } from "@/ui/useListing";
import { listKey, madeAt, type Place } from "./Listed";

type FixRun = Schemas["FixRun"];

const columns = (at: Place): readonly Column<FixRun>[] => [
  { key: "state", heading: records.state, cell: (r) => <FixRunMark state={r.state} /> },
  {
    key: "run",
    heading: records.pull,
    cell: (r) => (
      <PageLink to="/t/$tenantId/repositories/$repositoryId/fix-runs/$fixRunId" params={{ ...at, fixRunId: r.id }}>
        {`#${r.number}`}
      </PageLink>
    ),
  },
  { key: "passed", heading: texts.passed, cell: (r) => texts.passedOf(r.passed, r.findingIds.length) },
  { key: "delivery", heading: texts.delivery, cell: (r) => texts.deliveries[r.delivery] },
  { key: "why", heading: records.why, cell: (r) => r.reason && <Text component="span" size="sm" className="outside"><Outside says={r.reason} /></Text> },
  madeAt(),
];

const choices = (all: string, of: Record<string, string>) => [{ value: "", label: all }, ...Object.entries(of).map(([value, label]) => ({ value, label }))];

/** Figures of the last 30 days: outcomes of findings, and the reasons of refusals. It is empty before the first run. */
function Figures(at: Place) {
  const query = useQuery({
    queryKey: [...listKey(at, "fix-runs"), "figures"],
    queryFn: ({ signal }) => ok(api.GET("/api/tenants/{tenantId}/repositories/{repositoryId}/analytics/fixes", { params: { path: { ...at } }, signal })),
  });
  return (
    <Loaded query={query} lines={2}>
      {(f) =>
        f.runs > 0 && (
          <>
            <Text size="sm" c="dimmed">{texts.figuresSay}</Text>
            <Facts
              of={[
                [texts.runs, String(f.runs)],
                [texts.proposed, String(f.proposed)],
                [texts.passedChecks, String(f.passed)],
                [texts.accepted, String(f.accepted)],
                [texts.refusals, f.refused.length > 0 && f.refused.map((r) => texts.refusal(r.findings, r.sentence)).join(" ")],
              ]}
            />
          </>
        )
      }
    </Loaded>
  );
}

interface Filters {
  state?: FixRun["state"];
  delivery?: FixRun["delivery"];
}

/** Reads the filters of an address. Invalid ones are left out. */
const readSearch = (search: Record<string, unknown>): Filters => known<Filters>({ state: oneOf(texts.states, search["state"]), delivery: oneOf(texts.deliveries, search["delivery"]) });

/** Fix runs of a repository, by state and delivery, read again while one of them goes on. */
export function FixRuns(at: Place) {
  const [filters, filter] = useFilters(readSearch);
  const listing = useListing<FixRun>(
    [...listKey(at, "fix-runs"), filters],
    (cursor, signal) =>
      answer(
        api.GET("/api/tenants/{tenantId}/repositories/{repositoryId}/fix-runs", {
          params: {
            path: { ...at },
            query: { ...filters, ...(cursor ? { cursor } : {}) },
          },
          signal,
        }),
      ),
    (items) => (items.some((r) => fixRunGoesOn(r.state)) ? fixRunPause : false),
  );
  return (
    <>
      <Figures {...at} />
      <FilterRow>
        <NativeSelect label={texts.state} autoComplete="off" data={choices(texts.all, texts.states)} value={filters.state ?? ""} onChange={(e) => filter({ state: e.currentTarget.value })} />
        <NativeSelect label={texts.delivery} autoComplete="off" data={choices(texts.anyDelivery, texts.deliveries)} value={filters.delivery ?? ""} onChange={(e) => filter({ delivery: e.currentTarget.value })} />
      </FilterRow>
      <ListTable caption={records.of["fix-runs"]} columns={columns(at)} listing={listing} rowKey={(r) => r.id} empty={<Empty says={Object.keys(filters).length > 0 ? texts.noneOfFilter : records.empty["fix-runs"]} />} />
    </>
  );
}
