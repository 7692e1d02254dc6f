import { useEffect, useState } from "react";
import { Button } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { getRouteApi, useNavigate } from "@tanstack/react-router";
import { api, ok } from "@/api/client";
import { keys } from "@/api/queries";
import { asProblem, isAbsent } from "@/api/problem";
import { Absent } from "@/app/Absent";
import { text } from "@/texts";
import { approval as approvalTexts } from "@/texts/approval";
import { run as texts } from "@/texts/run";
import { Loaded } from "@/ui/Loaded";
import { failed } from "@/ui/failed";
import { notice } from "@/ui/notice";
import { Page } from "@/ui/Page";
import { useNow } from "@/ui/Time";
import { ApprovalPanel } from "./ApprovalPanel";
import { linksOf } from "./links";
import { useRunStream, wantsReading, withNews } from "./live";
import { DiffPart, DroppedPart, PublishedPart, ShownCodePart, StaticAnalysisPart, ToolCallsPart } from "./parts";
import { eventsOf, runQuery, type RunPath } from "./queries";
import { RunView } from "./RunView";
import { runSearch } from "./tabs";
import { type Decision, isOver, type Run, type RunApproval } from "./types";
import "@/ui/tabs.css";
import { useFilters } from "@/ui/useFilters";
import "./run.css";

const route = getRouteApi("/t/$tenantId/repositories/$repositoryId/runs/$runId");

/** The page of one review: reads it, follows it while it runs, and offers the possible actions. */
export function RunPage() {
  const path = route.useParams();
  const query = useQuery(runQuery(path));
  if (isAbsent(query)) return <Absent />;
  const read = (
    <Loaded query={query} lines={10}>
      {(run) => <Loose key={path.runId} path={path} run={run} />}
    </Loaded>
  );
  return query.data ? read : <Page title={text.runs.one}>{read}</Page>; // a run has a heading of its own
}

function Loose({ path, run }: { path: RunPath; run: Run }) {
  const [{ tab: chosen, file = "" }] = useFilters(runSearch);
  const waits = run.approval?.told === "";
  const [waited, setWaited] = useState(waits); // a decision does not take the page away on which it was made
  if (waits && !waited) setWaited(true);
  const tab = chosen && (chosen !== "approval" || run.approval) ? chosen : waited ? "approval" : "diff";
  const client = useQueryClient();
  const now = useNow();
  const goesOn = !isOver(run.state);
  const detail = runQuery(path).queryKey;
  const readAgain = () => void client.invalidateQueries({ queryKey: keys.tenant(path.tenantId, "run", path.runId) });
  const [opened, setOpened] = useState(0);
  const stream = useRunStream(goesOn ? eventsOf(path) : "", opened, (news, over) => {
    const before = client.getQueryData(detail);
    if (before) client.setQueryData(detail, withNews(before, news));
    if (over || (before && wantsReading(before.state, news.state))) readAgain();
  });
  useEffect(() => {
    document.title = `${texts.title(run.pullRequest.number, run.repository)} · ${text.app}`;
  }, [run.pullRequest.number, run.repository]);
  const links = linksOf(path.tenantId, path.repositoryId, path.runId);
  return (
    <RunView
      run={run}
      links={links}
      tab={tab}
      file={file}
      stream={stream}
      reload={() => {
        readAgain();
        setOpened(opened + 1);
      }}
      now={now}
      actions={isOver(run.state) && run.mayRerun ? <Rerun path={path} /> : null}
      approval={run.approval ? <Deciding path={path} approval={run.approval} readAgain={readAgain} /> : null}
      parts={{
        diff: () => <DiffPart path={path} run={run} links={links} asked={file} />,
        published: () => <PublishedPart path={path} run={run} />,
        dropped: () => <DroppedPart path={path} links={links} />,
        shownCode: () => <ShownCodePart path={path} />,
        toolCalls: () => <ToolCallsPart path={path} />,
        analysis: () => <StaticAnalysisPart path={path} />,
      }}
    />
  );
}

function Rerun({ path }: { path: RunPath }) {
  const navigate = useNavigate();
  const sent = useMutation({
    mutationFn: () => ok(api.POST("/api/tenants/{tenantId}/repositories/{repositoryId}/review-runs/{runId}/rerun", { params: { path: { ...path } } })),
    onSuccess: (made) => {
      notice(texts.rerunDone);
      void navigate({ to: route.id, params: { ...path, runId: made.id } });
    },
    onError: (error) => failed(error),
  });
  return (
    <Button variant="default" loading={sent.isPending} onClick={() => sent.mutate()}>
      {texts.rerun}
    </Button>
  );
}

function Deciding({ path, approval, readAgain }: { path: RunPath; approval: RunApproval; readAgain: () => void }) {
  const sent = useMutation({
    mutationFn: ({ to, body }: { to: "approve" | "reject"; body: Decision }) => {
      const at = { params: { path: { tenantId: path.tenantId, repositoryId: path.repositoryId, pendingOutputId: approval.id } }, body };
      return to === "approve"
        ? ok(api.POST("/api/tenants/{tenantId}/repositories/{repositoryId}/approvals/{pendingOutputId}/approve", at))
        : ok(api.POST("/api/tenants/{tenantId}/repositories/{repositoryId}/approvals/{pendingOutputId}/reject", at));
    },
    onSuccess: (_, { to }) => {
      notice(to === "approve" ? approvalTexts.approved : approvalTexts.rejected);
      readAgain();
    },
    onError: (error) => {
      if (asProblem(error).status === 409) readAgain();
    },
  });
  const refused = sent.error ? asProblem(sent.error) : undefined;
  return <ApprovalPanel approval={approval} busy={sent.isPending} refused={refused} decide={(to, body) => sent.mutate({ to, body })} />;
}
