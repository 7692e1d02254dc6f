import { answer, api } from "@/api/client";
import { keys, type Schemas } from "@/api/queries";
import { SeverityCounts } from "@/pages/run/SeverityCounts";
import { isOver } from "@/pages/run/types";
import { duration, RunStateMark } from "@/pages/runs/columns";
import { text } from "@/texts";
import { pull as texts } from "@/texts/pull";
import { trigger } from "@/texts/terms";
import { Empty } from "@/ui/Empty";
import { Money } from "@/ui/Figures";
import { ListTable, type Column } from "@/ui/ListTable";
import { RunLink } from "@/ui/RunLink";
import { Time } from "@/ui/Time";
import { useListing } from "@/ui/useListing";
import { following } from "./following";

type Row = Schemas["ListedRun"];

interface Props {
  tenantId: string;
  repositoryId: string;
  number: number;
}

/** The reviews of a pull request, newest first. The list follows a review that runs. */
export function Reviews({ tenantId, repositoryId, number }: Props) {
  const listing = useListing<Row>(
    keys.tenant(tenantId, "pull-requests", repositoryId, "reviews", number),
    (cursor, signal) => answer(api.GET("/api/tenants/{tenantId}/review-runs", { params: { path: { tenantId }, query: { repositoryId, number, ...(cursor ? { cursor } : {}) } }, signal })),
    (rows) => (rows.some((r) => !isOver(r.state)) ? following : false),
  );
  return <ListTable caption={texts.reviewsCaption} columns={columns(tenantId)} listing={listing} rowKey={(r) => r.id} empty={<Empty says={texts.noReviews} />} />;
}

const columns = (tenantId: string): readonly Column<Row>[] => [
  {
    key: "made",
    heading: text.common.made,
    cell: (r) => (
      <RunLink tenantId={tenantId} repositoryId={r.repositoryId} runId={r.id}>
        <Time at={r.createdAt} inside />
      </RunLink>
    ),
  },
  { key: "trigger", heading: text.runs.trigger, cell: (r) => trigger(r.trigger) },
  { key: "state", heading: text.common.state, cell: (r) => <RunStateMark state={r.state} /> },
  { key: "verdict", heading: texts.verdict, cell: (r) => (r.verdict ? texts.conclusions[r.verdict] : text.common.none) },
  { key: "findings", heading: text.runs.findings, cell: (r) => <SeverityCounts of={r.openBySeverity} /> },
  { key: "took", heading: text.runs.took, numbers: true, cell: duration },
  { key: "cost", heading: texts.costs, numbers: true, cell: (r) => <Money amount={r.costMicros} currency={r.currency} /> },
];
