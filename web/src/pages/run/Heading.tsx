import { useId, useRef, useState } from "react";
import { Anchor, Button, Code, Group, Stack, Text, Title } from "@mantine/core";
import { reviewHead as head } from "@/texts/reviewHead";
import { run as texts } from "@/texts/run";
import { trigger } from "@/texts/terms";
import { Outside } from "@/ui/Outside";
import { useArrival } from "@/ui/arrival";
import { PageLink } from "@/ui/links";
import { Time } from "@/ui/Time";
import { AskedBy } from "./AskedBy";
import type { RunLinks } from "./links";
import type { Run } from "./types";
import { webLink } from "./webLink";

interface Props {
  run: Run;
  links: RunLinks;
  /** The actions on the run. */
  actions: React.ReactNode;
}

/** The subject of the run, its state, and notes about it. */
export function Heading({ run, links, actions }: Props) {
  const heading = useRef<HTMLHeadingElement>(null);
  const [open, setOpen] = useState(false); // in a narrow window, in which the change would else begin below two screens
  const id = useId();
  useArrival(heading);
  const review = webLink(run.publication?.url);
  const pull = webLink(run.pullRequestUrl);
  return (
    <Stack gap="sm">
      <Group justify="space-between" align="flex-start">
        <Title order={1} size="h2" className="wrap-anywhere" ref={heading} tabIndex={-1}>
          {texts.title(run.pullRequest.number, run.repository)} <Outside says={run.pullRequest.title} />
        </Title>
        {actions}
      </Group>
      {run.synopsis && (
        <Text className="outside">
          {run.synopsisHead && run.synopsisHead !== run.headSha ? head.earlierSynopsis(run.synopsisHead.slice(0, 7)) : head.synopsis}{" "}
          <Outside says={run.synopsis} />
        </Text>
      )}
      <Button className="about-run-button" variant="default" size="compact-sm" aria-expanded={open} aria-controls={id} onClick={() => setOpen(!open)}>
        {head.about}
      </Button>
      <Group id={id} className="about-run" gap="sm" data-open={open || undefined}>
        <Text size="sm">
          {texts.head} <Code>{run.headSha.slice(0, 10)}</Code>
        </Text>
        <Text size="sm">
          <Outside says={texts.by(run.pullRequest.author)} />
        </Text>
        <Text size="sm">
          {texts.askedFor} {trigger(run.trigger)}, <Time at={run.createdAt} />
        </Text>
        {run.askedBy?.name && (
          <Text size="sm">
            {texts.asker} <AskedBy by={run.askedBy} />
          </Text>
        )}
        {run.depth === "reduced" && <Text size="sm">{texts.reduced}</Text>}
        <PageLink size="sm" {...links.repository}>
          {texts.repository}
        </PageLink>
        <PageLink size="sm" {...links.pull(run.pullRequest.number)}>
          {texts.otherRuns}
        </PageLink>
        {pull !== "" && (
          <Anchor size="sm" href={pull} rel="noreferrer">
            {texts.pullOnHost}
          </Anchor>
        )}
        {review !== "" && (
          <Anchor size="sm" href={review} rel="noreferrer">
            {texts.reviewOnHost}
          </Anchor>
        )}
      </Group>
      <Says run={run} links={links} />
    </Stack>
  );
}

/** Each state that is not an ordinary end has a sentence; so has each thing that a review lacks. */
function Says({ run, links }: { run: Run; links: RunLinks }) {
  const newer = run.supersededBy ? undefined : run.newerRunId;
  const told = run.approval?.told ?? "";
  const sentence = run.approval?.told === "" ? "" : texts.sentence[run.state]; // a waiting review has its own note
  const bad = run.state === "failed";
  return (
    <>
      {sentence !== "" && (
        <div className={bad ? "note bad outside" : "note outside"} role="status">
          {sentence}
          {run.reason !== "" && (
            <>
              {" "}
              <span>{run.reason}</span>
            </>
          )}
          {run.supersededBy && (
            <>
              {" "}
              <PageLink {...links.run(run.supersededBy)}>{texts.laterRun}</PageLink>
            </>
          )}
        </div>
      )}
      {newer && (
        <div className="note" role="status">
          {head.newerHead} <PageLink {...links.run(newer)}>{head.newerReview}</PageLink>
        </div>
      )}
      {told !== "" && (
        <div className="note quiet outside" role="status">
          {told} <PageLink {...links.tab("approval", "")}>{head.toApproval}</PageLink>
        </div>
      )}
      {run.incomplete !== "" && (
        <div className={run.modelState === "none" ? "note quiet" : "note bad"} role="status">
          {run.incomplete}
        </div>
      )}
      {run.publication?.unsettled && (
        <div className="note bad" role="status">
          {texts.outputs.unsettled}
        </div>
      )}
      <Lines heading={head.checksOff} lines={run.checksOff} />
      <Lines heading={head.repositoryFile} lines={run.repositoryFile} />
      {run.notices.map((n) => (
        <div key={n} className="note quiet outside">
          {n}
        </div>
      ))}
    </>
  );
}

/** Lines about settings below a heading; nothing without lines. */
function Lines({ heading, lines }: { heading: string; lines: readonly string[] }) {
  if (lines.length === 0) return null;
  return (
    <div className="note quiet">
      {heading}
      <ul>
        {lines.map((line) => (
          <li key={line}>
            <code className="outside wrap-anywhere">{line}</code>
          </li>
        ))}
      </ul>
    </div>
  );
}
