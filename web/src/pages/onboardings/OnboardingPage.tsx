import { Group, List, Stack, Text, Title } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { api, ok } from "@/api/client";
import { accessQuery, keys, manages, type Schemas } from "@/api/queries";
import { isAbsent } from "@/api/problem";
import { Absent } from "@/app/Absent";
import { text } from "@/texts";
import { onboarding as texts } from "@/texts/onboarding";
import { PageLink } from "@/ui/links";
import { Loaded } from "@/ui/Loaded";
import { Outside } from "@/ui/Outside";
import { Page } from "@/ui/Page";
import { Time } from "@/ui/Time";
import { Deciding } from "./Deciding";
import { Settings } from "./Settings";
import { OnboardingMark } from "./state";
import { Trial } from "./Trial";

type Detail = Schemas["OnboardingDetail"];

const route = getRouteApi("/t/$tenantId/repositories/$repositoryId/onboarding");

const isDecided = (o: Detail) => o.state === "accepted" || o.state === "declined";

/** Whether the person may decide about a repository. The service checks it, too. */
function mayManage(access: Schemas["Access"] | undefined, repositoryId: string): boolean {
  return access !== undefined && (manages(access) || (access.repositories.find((r) => r.repositoryId === repositoryId)?.permissions.includes("repo:manage") ?? false));
}

/** A new repository: the result of its trial, and the decision about it. */
export function OnboardingPage() {
  const path = route.useParams();
  const key = keys.tenant(path.tenantId, "onboarding", path.repositoryId);
  const query = useQuery({
    queryKey: key,
    queryFn: ({ signal }) => ok(api.GET("/api/tenants/{tenantId}/repositories/{repositoryId}/onboarding", { params: { path }, signal })),
    refetchInterval: (q) => (q.state.data?.state === "waiting" || q.state.data?.state === "trying" ? 5000 : false),
  });
  const { data: access } = useQuery(accessQuery(path.tenantId));
  if (isAbsent(query)) return <Absent />;
  return (
    <Page title={query.data ? `${query.data.owner}/${query.data.name}` : text.frame.onboardings}>
      <Loaded query={query} lines={10}>
        {(o) => (
          <>
            <Where of={o} tenantId={path.tenantId} />
            {o.proposal && <Trial proposal={o.proposal} />}
            {!isDecided(o) && (mayManage(access, path.repositoryId) ? <Deciding key={o.state} path={path} onboarding={o} listKey={key} /> : <div className="note quiet">{texts.mayNot}</div>)}
            <Settings heading={isDecided(o) ? texts.settingsNow : texts.settings} of={o.settings} />
            <History of={o.history} />
          </>
        )}
      </Loaded>
    </Page>
  );
}

function Where({ of: o, tenantId }: { of: Detail; tenantId: string }) {
  const says = o.state === "failed" ? texts.failedSays : o.state === "waiting" ? texts.waitingSays : o.state === "trying" ? texts.tryingSays : "";
  return (
    <Stack gap="xs">
      <Group gap="sm">
        <OnboardingMark state={o.state} />
        <Text size="sm">
          {texts.since} <Time at={o.createdAt} />
        </Text>
        {o.dryRunId && (
          <PageLink to="/t/$tenantId/repositories/$repositoryId/dry-runs/$dryRunId" params={{ tenantId, repositoryId: o.repositoryId, dryRunId: o.dryRunId }} size="sm">
            {texts.dryRun}
          </PageLink>
        )}
      </Group>
      {o.reason !== "" && (
        <div className="note bad" role="status">
          <b>{texts.failed}:</b> {o.reason}
        </div>
      )}
      {says !== "" && <Text>{says}</Text>}
      {o.decision && (
        <div className="note" role="status">
          <Outside says={texts.by(o.decision.name, o.decision.how)} />, <Time at={o.decision.at} />
          {o.decision.note !== "" && (
            <Text className="wrap-anywhere">
              <b>{texts.note}:</b> {o.decision.note}
            </Text>
          )}
        </div>
      )}
    </Stack>
  );
}

function History({ of }: { of: Detail["history"] }) {
  if (of.length === 0) return null;
  return (
    <section aria-labelledby="history">
      <Title order={2} id="history">
        {texts.history}
      </Title>
      <List>
        {of.map((s) => (
          <List.Item key={`${s.to} ${s.at}`}>
            {Object.hasOwn(texts.state, s.to) ? texts.state[s.to as Detail["state"]] : s.to}: {s.cause || text.common.none}, <Time at={s.at} />
          </List.Item>
        ))}
      </List>
    </section>
  );
}
