import { answer, api } from "@/api/client";
import type { Schemas } from "@/api/queries";
import { Relation } from "@/pages/failedjob/Relation";
import { failedJobs as texts } from "@/texts/failedJobs";
import { records } from "@/texts/records";
import { shortSha } from "@/ui/format";
import { PageLink } from "@/ui/links";
import { Outside } from "@/ui/Outside";
import { Listed, madeAt, type Place, stateOf } from "./Listed";

type Analysis = Schemas["CIAnalysis"];

/** Failed jobs of pull requests and their causes. */
export function FailedJobs(at: Place) {
  return (
    <Listed<Analysis>
      at={at}
      list="ci-analyses"
      columns={[
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
      ]}
      rowKey={(a) => a.id}
      read={(query, signal) => answer(api.GET("/api/tenants/{tenantId}/repositories/{repositoryId}/ci-analyses", { params: { path: { ...at }, query }, signal }))}
    />
  );
}
