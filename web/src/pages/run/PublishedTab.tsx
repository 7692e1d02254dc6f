import { Anchor, Code, Group, Paper, Stack, Text, Title } from "@mantine/core";
import { run as texts } from "@/texts/run";
import { StateMark } from "@/ui/StateMark";
import { Time } from "@/ui/Time";
import { Facts } from "@/ui/Facts";
import { ReviewTextView } from "./ReviewTextView";
import { isOver, type Outputs, type Run } from "./types";
import { webLink } from "./webLink";

/** Every text of a run with its state, and the proof of its publication. */
export function PublishedTab({ run, outputs, writes }: { run: Run; outputs: Outputs; writes: React.ReactNode }) {
  const t = texts.outputs;
  return (
    <Stack>
      <Proof run={run} />
      <section>
        <Title order={2} size="h4">
          {t.heading}
        </Title>
        {outputs.items.length === 0 && <Text>{t.none}</Text>}
        <Stack>
          {outputs.published && (
            <Paper withBorder p="sm">
              <Text fw={600}>{outputs.published.phase === "PUBLISHED" ? t.publishedAs : t.sentAs}</Text>
              <ReviewTextView review={outputs.published.review} />
            </Paper>
          )}
          {outputs.items.map((o) => (
            <details key={o.id} open={outputs.published === undefined && o.state !== "replaced"}>
              <summary>
                <StateMark tone="quiet">{t.state[o.state]}</StateMark> <Time at={o.createdAt} inside />
                {o.parentId ? ` · ${t.parent}` : ""}
              </summary>
              <Stack gap="xs" mt="xs">
                <Text size="sm" className="wrap-anywhere">
                  {t.digest} <Code>{o.digest}</Code>
                </Text>
                <ReviewTextView review={o.review} />
              </Stack>
            </details>
          ))}
        </Stack>
      </section>
      <section>
        <Title order={2} size="h4">
          {texts.writes.heading}
        </Title>
        <Text size="sm">{texts.writes.intro}</Text>
        {writes}
      </section>
    </Stack>
  );
}

function Proof({ run }: { run: Run }) {
  const t = texts.outputs;
  const p = run.publication;
  if (!p) return <Text>{isOver(run.state) ? t.never : t.notYet}</Text>;
  const url = webLink(p.url);
  return (
    <Paper component="section" withBorder p="sm">
      <Title order={2} size="h4">
        {t.proof}
      </Title>
      <Group gap="sm" my="xs">
        <Text>{t.phase(p.phase)}</Text>
        {p.publishedAt && <Time at={p.publishedAt} />}
        {url !== "" && (
          <Anchor href={url} rel="noreferrer">
            {texts.reviewOnHost}
          </Anchor>
        )}
      </Group>
      {p.reason !== "" && <Text className="outside">{p.reason}</Text>}
      <Facts
        of={[
          [t.mark, p.id],
          [t.reviewId, p.reviewId ?? ""],
          [t.sha, p.payloadSha256],
        ]}
      />
    </Paper>
  );
}
