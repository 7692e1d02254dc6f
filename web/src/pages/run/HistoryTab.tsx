import { Group, Stack, Text, Timeline, Title } from "@mantine/core";
import { RunStateMark } from "@/pages/runs/columns";
import { run as texts } from "@/texts/run";
import { trigger } from "@/texts/terms";
import { Time } from "@/ui/Time";
import { AskedBy } from "./AskedBy";
import { duration, steps } from "./timeline";
import type { Run } from "./types";

/** The life of a run: each state with its cause and the time spent in it. */
export function HistoryTab({ run, now }: { run: Run; now: number }) {
  const list = steps(run.transitions, now);
  return (
    <Stack>
      <Title order={2} size="h4">
        {texts.tabs.history}
      </Title>
      <Timeline active={list.length - 1} bulletSize={16} lineWidth={2}>
        {list.map((s, i) => (
          <Timeline.Item key={i}>
            <RunStateMark state={s.state} />
            {(i === 0 || s.cause !== "") && <Text className="outside">{i === 0 ? trigger(run.trigger) : s.cause}</Text>}
            {i === 0 && (
              <Text size="sm">
                {run.askedBy ? (
                  <>
                    {texts.asker} <AskedBy by={run.askedBy} /> {run.askedBy.name && texts.askedHow[run.askedBy.how]}
                  </>
                ) : (
                  texts.askerUnknown
                )}
              </Text>
            )}
            <Group gap="xs">
              <Text size="sm" c="dimmed">
                <Time at={s.at} />
                {s.lasted !== null && ` · ${duration(s.lasted)}`}
              </Text>
            </Group>
          </Timeline.Item>
        ))}
      </Timeline>
    </Stack>
  );
}
