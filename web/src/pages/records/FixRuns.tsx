import { useState } from "react";
import { NativeSelect, Text } from "@mantine/core";
import { answer, api } from "@/api/client";
import type { Schemas } from "@/api/queries";
import { fixRunGoesOn, fixRunPause, FixRunMark } from "@/pages/fixrun/state";
import { fixRuns as texts } from "@/texts/fixruns";
import { records } from "@/texts/records";
import { Empty } from "@/ui/Empty";
import { FilterRow } from "@/ui/FilterBar";
import { PageLink } from "@/ui/links";
import { type Column, ListTable } from "@/ui/ListTable";
import { Outside } from "@/ui/Outside";
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
  { key: "delivery", heading: records.delivery, cell: (r) => texts.deliveries[r.delivery] },
  { key: "why", heading: records.why, cell: (r) => <Text component="span" size="sm" className="outside"><Outside says={r.reason} /></Text> },
  madeAt(),
];

const choices = (all: string, of: Record<string, string>) => [{ value: "", label: all }, ...Object.entries(of).map(([value, label]) => ({ value, label }))];

/** Fix runs of a repository, by state and delivery, read again while one of them goes on. */
export function FixRuns(at: Place) {
  const [state, setState] = useState("");
  const [delivery, setDelivery] = useState("");
  const listing = useListing<FixRun>(
    [...listKey(at, "fix-runs"), state, delivery],
    (cursor, signal) =>
      answer(
        api.GET("/api/tenants/{tenantId}/repositories/{repositoryId}/fix-runs", {
          params: {
            path: { ...at },
            query: { ...(cursor ? { cursor } : {}), ...(state ? { state: state as FixRun["state"] } : {}), ...(delivery ? { delivery: delivery as FixRun["delivery"] } : {}) },
          },
          signal,
        }),
      ),
    (items) => (items.some((r) => fixRunGoesOn(r.state)) ? fixRunPause : false),
  );
  return (
    <>
      <FilterRow>
        <NativeSelect label={texts.state} data={choices(texts.all, texts.states)} value={state} onChange={(e) => setState(e.currentTarget.value)} />
        <NativeSelect label={texts.delivery} data={choices(texts.anyDelivery, texts.deliveries)} value={delivery} onChange={(e) => setDelivery(e.currentTarget.value)} />
      </FilterRow>
      <ListTable caption={records.of["fix-runs"]} columns={columns(at)} listing={listing} rowKey={(r) => r.id} empty={<Empty says={records.empty["fix-runs"]} />} />
    </>
  );
}
