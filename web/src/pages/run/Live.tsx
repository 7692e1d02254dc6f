import { Button, Group, Paper, Progress, Stack, Text, Title } from "@mantine/core";
import { run as texts } from "@/texts/run";
import { count, money } from "@/ui/format";
import type { Stream } from "@/api/follow";
import { StageStrip } from "./StageStrip";
import type { Run } from "./types";

/** Where a run stands while it goes on: stages, files, calls, tokens and cost so far. */
export function Live({ run, stream, reload }: { run: Run; stream: Stream; reload: () => void }) {
  const t = texts.live;
  const p = run.progress;
  const u = run.usageTotal;
  const cost = money(u.costMicros, u.currency);
  return (
    <Paper component="section" withBorder p="md" aria-label={t.heading}>
      <Stack gap="sm">
        <Title order={2} size="h4">
          {t.heading}
        </Title>
        <StageStrip state={run.state} stage={p?.stage ?? ""} />
        <Text role="status" aria-live="polite">
          {p ? [t.stage(p.stage), p.total > 0 ? t.of(p.done, p.total) : ""].filter((s) => s !== "").join(": ") : texts.sentence[run.state]}
        </Text>
        {p && p.total > 0 && <Progress.Root size="lg"><Progress.Section value={(100 * p.done) / p.total} aria-label={t.stage(p.stage)} /></Progress.Root>}
        <Group gap="md">
          {p && <Text size="sm">{t.files(p.files)}</Text>}
          <Text size="sm">{t.calls(u.calls)}</Text>
          <Text size="sm">{t.tokens(count(u.inputTokens + u.outputTokens))}</Text>
          {u.calls > 0 && <Text size="sm">{cost === undefined ? t.unknownCost : t.soFar(cost)}</Text>}
        </Group>
        <Group gap="sm">
          <Text size="sm" c="dimmed">
            {t.stream[stream]}
          </Text>
          {stream === "refused" && (
            <Button size="compact-sm" variant="default" onClick={reload}>
              {t.reload}
            </Button>
          )}
        </Group>
      </Stack>
    </Paper>
  );
}
