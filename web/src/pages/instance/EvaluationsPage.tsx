import { Text } from "@mantine/core";
import { answer, api } from "@/api/client";
import type { Schemas } from "@/api/queries";
import { text } from "@/texts";
import { evaluations as texts } from "@/texts/declarations";
import { Empty } from "@/ui/Empty";
import { count, money, span } from "@/ui/format";
import { type Column, ListTable } from "@/ui/ListTable";
import { Outside } from "@/ui/Outside";
import { Page } from "@/ui/Page";
import { Time } from "@/ui/Time";
import { useListing } from "@/ui/useListing";

type Run = Schemas["EvalRun"];

const percent = (of: number) => `${Math.round(of * 100)} %`;

const columns: readonly Column<Run>[] = [
  { key: "at", heading: texts.at, cell: (r) => <Time at={r.createdAt} /> },
  { key: "suite", heading: texts.suite, cell: (r) => <Outside says={r.suite} /> },
  { key: "routing", heading: texts.routing, cell: (r) => <Outside says={r.routing} /> },
  { key: "cases", heading: texts.cases, cell: (r) => r.cases, numbers: true },
  { key: "precision", heading: texts.precision, cell: (r) => percent(r.precision), numbers: true },
  { key: "recall", heading: texts.recall, cell: (r) => percent(r.recall), numbers: true },
  { key: "noise", heading: texts.noise, cell: (r) => count(Math.round(r.noise * 100) / 100), numbers: true },
  { key: "latency", heading: texts.latency, cell: (r) => span(r.latencyMs), numbers: true },
  { key: "cost", heading: texts.cost, cell: (r) => (r.costMicros === null ? texts.unknown : (money(r.costMicros, "USD") ?? texts.unknown)), numbers: true },
];

/** The measurements of the evaluation harness. */
export function EvaluationsPage() {
  const listing = useListing<Run>(["instance", "evaluations"], (cursor, signal) => answer(api.GET("/api/instance/eval-runs", { params: { query: cursor ? { cursor } : {} }, signal })));
  return (
    <Page title={text.frame.evaluations}>
      <Text>{texts.says}</Text>
      <ListTable caption={texts.caption} columns={columns} listing={listing} rowKey={(r) => r.id} empty={<Empty says={texts.none} />} />
    </Page>
  );
}
