import { lazy, Suspense } from "react";
import { Stack } from "@mantine/core";
import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { patiently } from "@/app/lazyPage";
import { Empty } from "@/ui/Empty";
import { asProblem } from "@/api/problem";
import { run as texts } from "@/texts/run";
import { Loaded, Waiting } from "@/ui/Loaded";
import { Trouble } from "@/ui/Trouble";
import { DroppedTab } from "./DroppedTab";
import { FindingsTab } from "./FindingsTab";
import { split } from "./grouping";
import type { RunLinks } from "./links";
import { PublishedTab } from "./PublishedTab";
import { diffQuery, droppedQuery, outputsQuery, type RunPath, shownCodeQuery, staticAnalysisQuery, toolCallsQuery, writesQuery } from "./queries";
import { ShownCode } from "./ShownCode";
import { StaticAnalysis } from "./StaticAnalysis";
import { ToolCalls } from "./ToolCalls";
import { isOver, type Run } from "./types";
import { Writes } from "./Writes";

// The diff view is loaded when a person opens a change.
const Changes = lazy(() => patiently(() => import("./diff/Changes")));

/** The tab of the change. It loads the change, or says why it is missing. */
export function DiffPart({ path, run, links, asked }: { path: RunPath; run: Run; links: RunLinks; asked: string }) {
  const made = run.tier !== "";
  const query = useInfiniteQuery({ ...diffQuery(path), enabled: made });
  if (!made) return <Empty says={texts.diff.missing(isOver(run.state))} />;
  if (query.isPending) return <Waiting lines={8} />;
  if (!query.data) {
    const problem = asProblem(query.error);
    const missing = problem.code === "diff_not_ready" || problem.code === "diff_not_kept";
    return (
      <Stack>
        {missing ? <Empty says={problem.message} /> : <Trouble error={problem} again={() => void query.refetch()} />}
        {run.findings.length > 0 && <FindingsTab run={run} links={links} />}
      </Stack>
    );
  }
  return (
    <Suspense fallback={<Waiting lines={8} />}>
      {query.isError && <Trouble error={query.error} again={() => void query.fetchNextPage()} />}
      <Changes files={query.data.pages.flatMap((p) => p.items)} findings={split(run).shown} links={links} asked={asked} more={query.hasNextPage ? () => void query.fetchNextPage() : null} busy={query.isFetchingNextPage} />
    </Suspense>
  );
}

/** The tab of the published review, with its proof. */
export function PublishedPart({ path, run }: { path: RunPath; run: Run }) {
  const outputs = useQuery(outputsQuery(path));
  const writes = useQuery(writesQuery(path));
  return <Loaded query={outputs}>{(o) => <PublishedTab run={run} outputs={o} writes={<Loaded query={writes}>{(w) => <Writes writes={w.items} />}</Loaded>} />}</Loaded>;
}

/** The code beside the change that models saw. */
export function ShownCodePart({ path }: { path: RunPath }) {
  const query = useInfiniteQuery(shownCodeQuery(path));
  if (query.isPending) return <Waiting lines={4} />;
  if (!query.data) return <Trouble error={query.error} again={() => void query.refetch()} />;
  return (
    <>
      {query.isError && <Trouble error={query.error} again={() => void query.fetchNextPage()} />}
      <ShownCode items={query.data.pages.flatMap((p) => p.items)} indexCommit={query.data.pages[0]?.indexCommit ?? ""} more={query.hasNextPage ? () => void query.fetchNextPage() : null} busy={query.isFetchingNextPage} />
    </>
  );
}

/** The tab of the dropped candidates. */
export function DroppedPart({ path, links }: { path: RunPath; links: RunLinks }) {
  const query = useInfiniteQuery(droppedQuery(path));
  if (query.isPending) return <Waiting lines={6} />;
  if (!query.data) return <Trouble error={query.error} again={() => void query.refetch()} />;
  return (
    <>
      {query.isError && <Trouble error={query.error} again={() => void query.fetchNextPage()} />}
      <DroppedTab items={query.data.pages.flatMap((p) => p.items)} counts={query.data.pages[0]?.counts ?? {}} links={links} more={query.hasNextPage ? () => void query.fetchNextPage() : null} busy={query.isFetchingNextPage} />
    </>
  );
}

/** The static analysis that the run used. */
export function StaticAnalysisPart({ path }: { path: RunPath }) {
  const query = useQuery(staticAnalysisQuery(path));
  return <Loaded query={query}>{(list) => <StaticAnalysis path={path} runs={list.items} />}</Loaded>;
}

/** What models looked at beyond the change. */
export function ToolCallsPart({ path }: { path: RunPath }) {
  const query = useQuery(toolCallsQuery(path));
  return <Loaded query={query}>{(list) => <ToolCalls calls={list.items} />}</Loaded>;
}
