import { Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { answer, api, ok } from "@/api/client";
import type { Schemas } from "@/api/queries";
import { fixRunGoesOn, fixRunPause, FixRunMark } from "@/pages/fixrun/state";
import { text } from "@/texts";
import { fixRuns as texts } from "@/texts/fixruns";
import { records } from "@/texts/records";
import { ChoiceFilter } from "@/ui/ChoiceFilter";
import { Empty } from "@/ui/Empty";
import { Facts } from "@/ui/Facts";
import { FilterRow } from "@/ui/FilterBar";
import { known, oneOf, ordinal } from "@/ui/filterValues";
import { PageLink } from "@/ui/links";
import { type Column, ListTable } from "@/ui/ListTable";
import { Outside } from "@/ui/Outside";
import { Loaded } from "@/ui/Loaded";
import { TypedFilter } from "@/ui/TypedFilter";
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
  number?: number;
}

/** Reads the filters of an address. Invalid ones are left out. */
const readSearch = (search: Record<string, unknown>): Filters => known<Filters>({ state: oneOf(texts.states, search["state"]), delivery: oneOf(texts.deliveries, search["delivery"]), number: ordinal(search["number"]) });

/** Fix runs of a repository, by state, delivery and pull request, read again while one of them goes on. */
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
        <ChoiceFilter label={texts.state} names={texts.states} value={filters.state} apply={(state) => filter({ state })} all={texts.all} />
        <ChoiceFilter label={texts.delivery} names={texts.deliveries} value={filters.delivery} apply={(delivery) => filter({ delivery })} all={texts.anyDelivery} />
        <TypedFilter label={text.runs.number} kind="number" value={String(filters.number ?? "")} most={16} apply={(number) => filter({ number })} />
      </FilterRow>
      <ListTable caption={records.of["fix-runs"]} columns={columns(at)} listing={listing} rowKey={(r) => r.id} empty={<Empty says={Object.keys(filters).length > 0 ? texts.noneOfFilter : records.empty["fix-runs"]} />} />
    </>
  );
}
