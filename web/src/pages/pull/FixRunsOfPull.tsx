import { Stack, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { api, ok } from "@/api/client";
import { keys, type Schemas } from "@/api/queries";
import { fixRunGoesOn, fixRunPause, FixRunMark } from "@/pages/fixrun/state";
import { fixRuns as texts } from "@/texts/fixruns";
import { PageLink } from "@/ui/links";
import { Loaded } from "@/ui/Loaded";
import { Outside } from "@/ui/Outside";
import { Time } from "@/ui/Time";

interface Props {
  tenantId: string;
  repositoryId: string;
  number: number;
}

/** The fix runs of a pull request, newest first; a line for each. They are read again while one of them goes on. */
export function FixRunsOfPull({ tenantId, repositoryId, number }: Props) {
  const at = { tenantId, repositoryId };
  const query = useQuery({
    queryKey: keys.tenant(tenantId, "pull-requests", repositoryId, "fix-runs", String(number)),
    queryFn: ({ signal }) => ok(api.GET("/api/tenants/{tenantId}/repositories/{repositoryId}/fix-runs", { params: { path: at, query: { number } }, signal })),
    refetchInterval: (q) => (q.state.data?.items.some((r) => fixRunGoesOn(r.state)) ? fixRunPause : false),
  });
  return (
    <Loaded query={query} lines={1}>
      {(page) => <Runs at={at} of={page.items} />}
    </Loaded>
  );
}

function Runs({ at, of: list }: { at: Pick<Props, "tenantId" | "repositoryId">; of: Schemas["FixRun"][] }) {
  if (list.length === 0) return <>{texts.noneOfPull}</>;
  return (
    <Stack gap="xs">
      {list.map((r) => (
        <div key={r.id}>
          <FixRunMark state={r.state} />{" "}
          <PageLink to="/t/$tenantId/repositories/$repositoryId/fix-runs/$fixRunId" params={{ ...at, fixRunId: r.id }}>
            {texts.passedOf(r.passed, r.findingIds.length)}, <Time at={r.createdAt} inside />
          </PageLink>
          {r.reason !== "" && (
            <Text size="sm" c="dimmed" className="outside">
              <Outside says={r.reason} />
            </Text>
          )}
        </div>
      ))}
    </Stack>
  );
}
