import { Group, Stack, Text, Title } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { api, ok } from "@/api/client";
import { keys, type Schemas } from "@/api/queries";
import { isAbsent } from "@/api/problem";
import { Absent } from "@/app/Absent";
import { repositoryQuery } from "@/pages/policy/queries";
import { RunStateMark } from "@/pages/runs/columns";
import { repository as texts } from "@/texts/repository";
import { policyWords, settings } from "@/texts/settings";
import { count } from "@/ui/format";
import { Facts } from "@/ui/Facts";
import { ButtonLink } from "@/ui/links";
import { Loaded } from "@/ui/Loaded";
import { Outside } from "@/ui/Outside";
import { Page } from "@/ui/Page";
import { RunLink } from "@/ui/RunLink";
import { StateMark } from "@/ui/StateMark";
import { Time } from "@/ui/Time";
import { Trouble } from "@/ui/Trouble";
import { PullRequests } from "./PullRequests";

type Repository = Schemas["Repository"];

const route = getRouteApi("/t/$tenantId/repositories/$repositoryId");

/** One repository: how it stands, how it is reviewed, and the way to everything of it. */
export function RepositoryPage() {
  const { tenantId, repositoryId } = route.useParams();
  const query = useQuery(repositoryQuery(tenantId, repositoryId));
  if (isAbsent(query)) return <Absent />;
  return (
    <Page title={query.data ? `${query.data.owner}/${query.data.name}` : texts.title}>
      <Loaded query={query} lines={8}>
        {(r) => (
          <>
            <Notes tenantId={tenantId} repository={r} />
            <PullRequests tenantId={tenantId} repositoryId={repositoryId} connected={r.state === "active"} />
            <Glance tenantId={tenantId} repository={r} />
          </>
        )}
      </Loaded>
    </Page>
  );
}

/** How many of the changes that turned out clean have no comment on a line, in the last 30 days. */
function CleanChanges({ tenantId, repositoryId }: { tenantId: string; repositoryId: string }) {
  const query = useQuery({
    queryKey: keys.tenant(tenantId, "repository-figures", repositoryId),
    queryFn: ({ signal }) => ok(api.GET("/api/tenants/{tenantId}/repositories/{repositoryId}/analytics", { params: { path: { tenantId, repositoryId } }, signal })),
  });
  const c = query.data?.cleanChanges;
  if (query.isError) return <Trouble error={query.error} again={() => void query.refetch()} />;
  if (!c) return <span>…</span>;
  return <span>{c.share === null || c.low === null || c.high === null ? texts.noCleanChanges : texts.silence(c.withoutComment, c.changes, c.share, c.low, c.high)}</span>;
}

/** Why the repository is not reviewed, where that is so. */
function Notes({ tenantId, repository: r }: { tenantId: string; repository: Repository }) {
  return (
    <>
      {r.state === "disconnected" && <div className="note bad">{texts.disconnected}</div>}
      {texts.intake[r.intake] !== "" && <div className="note">{texts.intake[r.intake]}</div>}
      {r.onboarding && (
        <div>
          <ButtonLink to="/t/$tenantId/repositories/$repositoryId/onboarding" params={{ tenantId, repositoryId: r.id }} variant="default">
            {texts.toTrial}
          </ButtonLink>
        </div>
      )}
    </>
  );
}

function Glance({ tenantId, repository: r }: { tenantId: string; repository: Repository }) {
  const p = r.policy;
  const word = (setting: "profile" | "publishMode" | "minSeverity", value: string) => policyWords[setting].values?.[value] ?? value;
  return (
    <Stack>
      <section>
        <Title order={2}>{texts.lastRun}</Title>
        {r.lastRun ? (
          <Group gap="xs">
            <RunStateMark state={r.lastRun.state} />
            <RunLink tenantId={tenantId} repositoryId={r.id} runId={r.lastRun.id}>
              #{r.lastRun.pullRequest.number} <Outside says={r.lastRun.pullRequest.title} />
            </RunLink>
            <Time at={r.lastRun.createdAt} />
          </Group>
        ) : (
          <Text>{texts.noRun}</Text>
        )}
        <Facts
          of={[
            [texts.openPulls, count(r.openPullRequests)],
            [texts.openFindings, count(r.openFindings)],
            ...(r.uncheckedHeads > 0 ? [[texts.uncheckedHeads, count(r.uncheckedHeads)] as const] : []),
            [texts.cleanChanges, <CleanChanges key="clean" tenantId={tenantId} repositoryId={r.id} />],
            [texts.branch, r.defaultBranch],
          ]}
        />
      </section>
      <section>
        <Title order={2}>{texts.policy}</Title>
        <StateMark tone={p.enabled ? "good" : "quiet"}>{`${texts.enabled}: ${p.enabled ? settings.on : settings.off}`}</StateMark>
        <Facts
          of={[
            [texts.profile, word("profile", p.profile)],
            [texts.publishMode, word("publishMode", p.publishMode)],
            [texts.minSeverity, word("minSeverity", p.minSeverity)],
          ]}
        />
      </section>
    </Stack>
  );
}
