import { Stack } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { api, ok } from "@/api/client";
import { keys, type Schemas } from "@/api/queries";
import { Relation } from "@/pages/failedjob/Relation";
import { failedJobs as texts } from "@/texts/failedJobs";
import { PageLink } from "@/ui/links";
import { Loaded } from "@/ui/Loaded";
import { Outside } from "@/ui/Outside";

interface Props {
  tenantId: string;
  repositoryId: string;
  number: number;
  head: string;
}

/** The explained failed jobs of a pull request's head; a line for each. */
export function FailedJobsOfHead({ tenantId, repositoryId, number, head }: Props) {
  const at = { tenantId, repositoryId };
  const query = useQuery({
    queryKey: keys.tenant(tenantId, "pull-requests", repositoryId, "failed-jobs", String(number)),
    queryFn: ({ signal }) => ok(api.GET("/api/tenants/{tenantId}/repositories/{repositoryId}/ci-analyses", { params: { path: at, query: { pullRequest: number } }, signal })),
  });
  return (
    <Loaded query={query} lines={1}>
      {(page) => <Jobs at={at} of={page.items.filter((a) => a.headSha === head)} />}
    </Loaded>
  );
}

function Jobs({ at, of: list }: { at: Pick<Props, "tenantId" | "repositoryId">; of: Schemas["CIAnalysis"][] }) {
  if (list.length === 0) return <>{texts.none}</>;
  return (
    <Stack gap="xs">
      {list.map((a) => (
        <div key={a.id}>
          <PageLink to="/t/$tenantId/repositories/$repositoryId/ci-analyses/$analysisId" params={{ ...at, analysisId: a.id }}>
            <Outside says={a.job} />
          </PageLink>
          <Relation of={a} />
        </div>
      ))}
    </Stack>
  );
}
