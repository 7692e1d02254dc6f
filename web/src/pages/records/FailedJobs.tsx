import { answer, api } from "@/api/client";
import type { Schemas } from "@/api/queries";
import { Relation } from "@/pages/failedjob/Relation";
import { following } from "@/pages/pull/following";
import { text } from "@/texts";
import { failedJobs as texts } from "@/texts/failedJobs";
import { records } from "@/texts/records";
import { ChoiceFilter } from "@/ui/ChoiceFilter";
import { Empty } from "@/ui/Empty";
import { FilterRow } from "@/ui/FilterBar";
import { known, oneOf, ordinal } from "@/ui/filterValues";
import { shortSha } from "@/ui/format";
import { PageLink } from "@/ui/links";
import { type Column, ListTable } from "@/ui/ListTable";
import { Outside } from "@/ui/Outside";
import { TypedFilter } from "@/ui/TypedFilter";
import { useFilters } from "@/ui/useFilters";
import { useListing } from "@/ui/useListing";
import { listKey, madeAt, type Place, stateOf } from "./Listed";

type Analysis = Schemas["CIAnalysis"];

const columns = (at: Place): readonly Column<Analysis>[] => [
  stateOf(),
  {
    key: "job",
    heading: texts.job,
    cell: (a) => (
      <PageLink to="/t/$tenantId/repositories/$repositoryId/ci-analyses/$analysisId" params={{ ...at, analysisId: a.id }}>
        <Outside says={a.job} />
      </PageLink>
    ),
  },
  { key: "pull", heading: records.pull, cell: (a) => (a.number ? <PageLink to="/t/$tenantId/repositories/$repositoryId/pulls/$number" params={{ ...at, number: String(a.number) }}>{texts.pull(a.number)}</PageLink> : "") },
  { key: "head", heading: records.head, cell: (a) => <code>{shortSha(a.headSha)}</code> },
  { key: "cause", heading: texts.cause, cell: (a) => (a.cause || a.reason) && <span className="outside"><Outside says={a.cause || a.reason} /></span> },
  { key: "relation", heading: texts.relation, cell: (a) => (a.relation || a.flaky || a.onBase) && <Relation of={a} /> },
  madeAt(),
];

const { queued, running, completed, failed, cancelled } = records.states;
const states = { queued, running, completed, failed, cancelled } satisfies Record<Analysis["state"], string>;

interface Filters {
  state?: Analysis["state"];
  relation?: keyof typeof texts.relations;
  flaky?: true;
  number?: number;
}

/** Reads the filters of an address. Invalid ones are left out. */
const readSearch = (search: Record<string, unknown>): Filters =>
  known<Filters>({ state: oneOf(states, search["state"]), relation: oneOf(texts.relations, search["relation"]), flaky: String(search["flaky"]) === "true" || undefined, number: ordinal(search["number"]) });

/** Failed jobs of pull requests and their causes, by state, relation, repetitions and pull request. They are read again while one is analysed. */
export function FailedJobs(at: Place) {
  const [filters, filter] = useFilters(readSearch);
  const listing = useListing<Analysis>(
    [...listKey(at, "ci-analyses"), filters],
    (cursor, signal) => {
      const { number, ...rest } = filters;
      const query = { ...rest, ...(number ? { pullRequest: number } : {}), ...(cursor ? { cursor } : {}) };
      return answer(api.GET("/api/tenants/{tenantId}/repositories/{repositoryId}/ci-analyses", { params: { path: { ...at }, query }, signal }));
    },
    (items) => (items.some((a) => a.state === "queued" || a.state === "running") ? following : false),
  );
  return (
    <>
      <FilterRow>
        <ChoiceFilter label={records.state} names={states} value={filters.state} apply={(state) => filter({ state })} all={texts.allStates} />
        <ChoiceFilter label={texts.relation} names={texts.relations} value={filters.relation} apply={(relation) => filter({ relation })} all={texts.anyRelation} />
        <ChoiceFilter label={texts.repeats} names={texts.flakyOnly} value={filters.flaky && "true"} apply={(flaky) => filter({ flaky })} all={texts.anyRepeat} />
        <TypedFilter label={text.runs.number} kind="number" value={String(filters.number ?? "")} most={16} apply={(number) => filter({ number })} />
      </FilterRow>
      <ListTable caption={records.of["ci-analyses"]} columns={columns(at)} listing={listing} rowKey={(a) => a.id} empty={<Empty says={Object.keys(filters).length > 0 ? texts.noneOfFilter : records.empty["ci-analyses"]} />} />
    </>
  );
}
