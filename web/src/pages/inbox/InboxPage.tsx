import { lazy, Suspense, type ReactNode } from "react";
import { Text } from "@mantine/core";
import { useParams } from "@tanstack/react-router";
import { answer, api } from "@/api/client";
import { keys, type Schemas } from "@/api/queries";
import { patiently } from "@/app/lazyPage";
import { SeverityCounts } from "@/pages/run/SeverityCounts";
import { text } from "@/texts";
import { ConnectionLink } from "@/ui/ConnectionLink";
import { Empty } from "@/ui/Empty";
import { ButtonLink, PageLink } from "@/ui/links";
import { Line } from "@/ui/Line";
import { ListTable, type Column } from "@/ui/ListTable";
import { Outside } from "@/ui/Outside";
import { Page } from "@/ui/Page";
import { PullLink } from "@/ui/PullLink";
import { RunLink } from "@/ui/RunLink";
import { StateMark, type Tone } from "@/ui/StateMark";
import { Time } from "@/ui/Time";
import { useListing } from "@/ui/useListing";

// It disappears when a tenant is set up, so it is not part of the first download.
const StepsLine = lazy(() => patiently(() => import("@/pages/firststeps/StepsLine").then((m) => ({ default: m.StepsLine }))));

type Item = Schemas["InboxItem"];

const tones: Record<Item["kind"], Tone> = { approval: "warn", suppression: "warn", onboarding: "warn", failed_run: "bad", budget_alert: "warn", connection: "bad", review_request: "busy", rule: "warn", host_account: "warn" };

function About({ tenantId, item }: { tenantId: string; item: Item }) {
  const title = (
    <>
      {item.number !== undefined && `#${item.number} `}
      <Outside says={item.title} />
    </>
  );
  return (
    <>
      <Line full={item.title}>
        <Leads tenantId={tenantId} item={item}>
          {title}
        </Leads>
      </Line>
      {item.repository && item.repositoryId && item.kind !== "onboarding" && (
        <Line quiet>
          {item.runId && item.number !== undefined ? (
            <PullLink tenantId={tenantId} repositoryId={item.repositoryId} number={item.number} size="sm">
              <Outside says={`${item.repository}#${item.number}`} />
            </PullLink>
          ) : (
            <Outside says={item.repository} />
          )}
        </Line>
      )}
      {item.detail !== "" && (
        <Text size="sm" c="dimmed">
          {item.detail}
        </Text>
      )}
    </>
  );
}

/** The way to what an item is about. */
function Leads({ tenantId, item, children }: { tenantId: string; item: Item; children: ReactNode }) {
  const { kind, repositoryId, runId, number, connectionKind } = item;
  if (kind === "budget_alert")
    return (
      <PageLink to="/t/$tenantId/costs" params={{ tenantId }} search={repositoryId ? { repository: repositoryId } : {}}>
        {children}
      </PageLink>
    );
  if (kind === "connection")
    return (
      <ConnectionLink tenantId={tenantId} kind={connectionKind ?? "provider"}>
        {children}
      </ConnectionLink>
    );
  if (kind === "host_account")
    return (
      <PageLink to="/t/$tenantId/me" params={{ tenantId }}>
        {children}
      </PageLink>
    );
  if (!repositoryId) return <Text>{children}</Text>;
  if (runId)
    return (
      <RunLink tenantId={tenantId} repositoryId={repositoryId} runId={runId} tab={kind === "approval" ? "approval" : undefined}>
        {children}
      </RunLink>
    );
  if (kind === "onboarding")
    return (
      <PageLink to="/t/$tenantId/repositories/$repositoryId/onboarding" params={{ tenantId, repositoryId }}>
        {children}
      </PageLink>
    );
  if (kind === "rule")
    return (
      <PageLink to="/t/$tenantId/repositories/$repositoryId/rules" params={{ tenantId, repositoryId }}>
        {children}
      </PageLink>
    );
  if (kind === "suppression")
    return (
      <PageLink to="/t/$tenantId/repositories/$repositoryId/records/$list" params={{ tenantId, repositoryId, list: "suppressions" }} search={{ id: item.id }}>
        {children}
      </PageLink>
    );
  if (number)
    return (
      <PullLink tenantId={tenantId} repositoryId={repositoryId} number={number}>
        {children}
      </PullLink>
    );
  return (
    <PageLink to="/t/$tenantId/runs" params={{ tenantId }} search={{ repository: repositoryId }}>
      {children}
    </PageLink>
  );
}

const columns = (tenantId: string): readonly Column<Item>[] => [
  { key: "what", heading: text.inbox.what, cell: (i) => <StateMark tone={tones[i.kind]}>{text.inbox.kind[i.kind]}</StateMark> },
  { key: "about", heading: text.inbox.about, wide: true, cell: (i) => <About tenantId={tenantId} item={i} /> },
  { key: "findings", heading: text.inbox.findings, cell: (i) => (i.openBySeverity ? <SeverityCounts of={i.openBySeverity} /> : text.common.none) },
  { key: "since", heading: text.inbox.since, cell: (i) => <Time at={i.createdAt} /> },
];

/** The tasks that wait for the person in this tenant. */
export function InboxPage() {
  const { tenantId } = useParams({ from: "/t/$tenantId" });
  const listing = useListing(keys.tenant(tenantId, "inbox"), (cursor, signal) => answer(api.GET("/api/tenants/{tenantId}/inbox", { params: { path: { tenantId }, query: cursor ? { cursor } : {} }, signal })));
  const runs = (
    <ButtonLink to="/t/$tenantId/runs" params={{ tenantId }} variant="default">
      {text.inbox.toRuns}
    </ButtonLink>
  );
  return (
    <Page title={text.inbox.title}>
      <ListTable steady caption={text.inbox.caption} columns={columns(tenantId)} listing={listing} rowKey={(i) => `${i.kind}/${i.id}`} empty={<Empty says={text.inbox.empty} action={runs} />} />
      {/* Below the list, and after it, because what appears later must not move what a person is about to press. */}
      {!listing.query.isPending && (
        <Suspense fallback={null}>
          <StepsLine tenantId={tenantId} />
        </Suspense>
      )}
    </Page>
  );
}
