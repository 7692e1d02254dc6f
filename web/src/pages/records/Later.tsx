import { answer, api } from "@/api/client";
import type { Schemas } from "@/api/queries";
import { records as texts } from "@/texts/records";
import { Outside } from "@/ui/Outside";
import { Listed, madeAt, type Place } from "./Listed";

// Lists of parts of the service that are not built in this version: what fills one completes its columns.

/** Who was suggested to review. */
export function Assignments(at: Place) {
  return (
    <Listed<Schemas["Assignment"]>
      at={at}
      list="assignments"
      columns={[
        { key: "pull", heading: texts.pull, cell: (r) => `#${r.number}` },
        { key: "people", heading: texts.people, cell: (r) => <Outside says={r.suggestions.map((s) => s.name).join(", ")} /> },
        { key: "mode", heading: texts.mode, cell: (r) => texts.modes[r.mode] },
        madeAt(),
      ]}
      rowKey={(r) => r.id}
      read={(query, signal) => answer(api.GET("/api/tenants/{tenantId}/repositories/{repositoryId}/assignments", { params: { path: at, query }, signal }))}
    />
  );
}

/** How many open reviews people have. */
export function Workload(at: Place) {
  return (
    <Listed<Schemas["Workload"]>
      at={at}
      list="assignment-workload"
      columns={[
        { key: "who", heading: texts.person, cell: (r) => <Outside says={r.name} /> },
        { key: "open", heading: texts.openReviews, cell: (r) => r.openReviews, numbers: true },
        { key: "lines", heading: texts.lines, cell: (r) => r.changedLines, numbers: true },
      ]}
      rowKey={(r) => r.userId}
      read={(_, signal) => answer(api.GET("/api/tenants/{tenantId}/repositories/{repositoryId}/assignment/workload", { params: { path: at }, signal }))}
    />
  );
}
