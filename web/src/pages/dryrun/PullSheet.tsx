import { Group, Stack, Text, Title } from "@mantine/core";
import { dryRun as texts } from "@/texts/dryrun";
import { depth, modelState } from "@/texts/terms";
import { Facts } from "@/ui/Facts";
import { money, span } from "@/ui/format";
import { Outside } from "@/ui/Outside";
import { RunLink } from "@/ui/RunLink";
import { StateMark, type Tone } from "@/ui/StateMark";
import { text } from "@/texts";
import { currency } from "./currency";
import type { DryRunPath, PullResult } from "./queries";
import { ChangedList, TriedList } from "./Tried";
import { TriedUsage } from "./TriedUsage";

const tones: Record<PullResult["state"], Tone> = { queued: "quiet", running: "busy", completed: "good", failed: "bad" };
const cost = (micros: number | null) => money(micros, currency) ?? text.common.unknown;

/** The result of a dry run for one pull request, beside the published review. Its title is text from outside. */
export function PullSheet({ path, of: p, over }: { path: DryRunPath; of: PullResult; over: boolean }) {
  const id = `pull-${p.number}`;
  const looked = p.state === "completed";
  const then = p.published;
  return (
    <section className="sheet" aria-labelledby={id}>
      <Stack gap="xs">
        <Group justify="space-between" align="flex-start">
          <Title order={3} size="h4" id={id} className="wrap-anywhere">
            #{p.number} <Outside says={p.title ?? ""} />
          </Title>
          <StateMark tone={tones[p.state]} waits={p.state === "queued" && !over}>
            {p.state === "queued" && over ? texts.leftOut : texts.pullState[p.state]}
          </StateMark>
        </Group>
        {p.reason && <div className={p.state === "failed" ? "note bad" : "note quiet"}>{p.reason}</div>}
        {p.modelNote && <div className="note quiet">{p.modelNote}</div>}
        {p.notices?.map((n) => (
          <div key={n} className="note quiet outside">
            {n}
          </div>
        ))}
        {looked && (
          <Facts
            of={[
              [texts.depth, p.tier && depth(p.tier)],
              [texts.change, p.files !== undefined && texts.changeOf(p.files, p.additions ?? 0, p.deletions ?? 0)],
              [texts.model, p.modelState && modelState(p.modelState)],
              [texts.cost, then ? texts.costThenNow(cost(p.costMicros), cost(then.costMicros)) : cost(p.costMicros)],
              [texts.latency, p.latencyMs !== undefined && (then ? texts.latencyThen(span(p.latencyMs), span(then.latencyMs)) : span(p.latencyMs))],
              [texts.comments, then && texts.thenNow(then.inlineThen, then.inlineNow)],
              [texts.summaries, then && texts.thenNow(then.summaryThen, then.summaryNow)],
            ]}
          />
        )}
        {then && <Compared path={path} then={then} />}
        {looked && (
          <>
            {p.findings.length === 0 ? <Text>{texts.noFindings}</Text> : <TriedList says={texts.findings(p.findings.length)} of={p.findings} open={!then} />}
            {(p.omitted ?? 0) > 0 && <Text size="sm">{texts.omitted(p.omitted ?? 0)}</Text>}
          </>
        )}
        <TriedUsage number={p.number} of={p.usage} />
      </Stack>
    </section>
  );
}

/** The difference to the review that was published. */
function Compared({ path, then }: { path: DryRunPath; then: NonNullable<PullResult["published"]> }) {
  const differs = then.new.length + then.gone.length + then.changed.length > 0;
  return (
    <Stack gap="xs">
      <Text size="sm">
        <RunLink tenantId={path.tenantId} repositoryId={path.repositoryId} runId={then.runId}>
          {texts.published}
        </RunLink>
        {then.modelStateWas !== "" && then.modelStateWas !== "complete" && ` · ${texts.publishedAs(modelState(then.modelStateWas))}`}
      </Text>
      {!then.sameHead && <div className="note">{texts.otherHead}</div>}
      <TriedList says={texts.newOf(then.new.length)} of={then.new} open />
      <TriedList says={texts.goneOf(then.gone.length)} of={then.gone} open />
      <ChangedList of={then.changed} />
      {!differs && <Text>{texts.noneNew}</Text>}
      {then.same > 0 && <Text size="sm">{texts.sameOf(then.same)}</Text>}
    </Stack>
  );
}
