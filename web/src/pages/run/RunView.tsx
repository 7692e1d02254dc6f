import { Stack } from "@mantine/core";
import { Dismissing } from "@/pages/findings/Dismissing";
import { run as texts } from "@/texts/run";
import { PageLink } from "@/ui/links";
import { ContextTab } from "./ContextTab";
import { FindingsTab } from "./FindingsTab";
import { Heading } from "./Heading";
import { HistoryTab } from "./HistoryTab";
import { stateNow } from "./FindingCard";
import { Issues } from "./Issues";
import type { RunLinks } from "./links";
import { Live } from "./Live";
import type { Stream } from "@/api/follow";
import { ReviewHead } from "./ReviewHead";
import { StagesPicture } from "./StagesPicture";
import { type Tab, tabs } from "./tabs";
import { isOver, type Run } from "./types";
import { UsageTab } from "./UsageTab";

interface Props {
  run: Run;
  links: RunLinks;
  tab: Tab;
  /** Path of the file in the address; "" without one. */
  file: string;
  stream: Stream;
  reload: () => void;
  now: number;
  actions: React.ReactNode;
  /** The approval, where there is one. */
  approval: React.ReactNode;
  /** Contents of the tabs whose data are read for themselves, made when they are shown. */
  parts: { diff: () => React.ReactNode; published: () => React.ReactNode; dropped: () => React.ReactNode; toolCalls: () => React.ReactNode; analysis: () => React.ReactNode; shownCode: () => React.ReactNode };
}

/** The page of one review. */
export function RunView({ run, links, tab, file, stream, reload, now, actions, approval, parts }: Props) {
  const goesOn = !isOver(run.state) && run.state !== "awaiting_approval";
  const panels: Record<Tab, () => React.ReactNode> = {
    approval: () => approval,
    findings: () => <FindingsTab run={run} links={links} />,
    diff: parts.diff,
    published: parts.published,
    dropped: parts.dropped,
    context: () => <ContextTab run={run} calls={parts.toolCalls()} analysis={parts.analysis()} code={parts.shownCode()} />,
    usage: () => <UsageTab run={run} />,
    history: () => (
      <Stack>
        <HistoryTab run={run} now={now} />
        <StagesPicture stages={run.stages} />
      </Stack>
    ),
  };
  return (
    <Dismissing tenantId={links.repository.params.tenantId} repositoryId={run.repositoryId} open={run.findings.filter((f) => stateNow(f) === "open").map((f) => f.id)}>
      <Stack className="review">
        <Heading run={run} links={links} actions={actions} />
        <ReviewHead run={run} />
        <Issues of={run.issues} />
        {goesOn && <Live run={run} stream={stream} reload={reload} />}
        <nav className="tabs" aria-label={texts.parts}>
          {tabs.filter((t) => t !== "approval" || run.approval).map((t) => (
            <PageLink key={t} {...links.tab(t, t === tab ? file : "")} replace underline="never" {...(t === tab ? { "aria-current": "page" } : {})} activeOptions={{ exact: true, includeSearch: true }}>
              {texts.tabs[t]}
            </PageLink>
          ))}
        </nav>
        {panels[tab]()}
      </Stack>
    </Dismissing>
  );
}
