import { useEffect, useEffectEvent } from "react";
import { List, Progress, Stack, Text } from "@mantine/core";
import { jobOver, useJob } from "@/api/job";
import type { Schemas } from "@/api/queries";
import { job as texts } from "@/texts/job";
import { Time } from "./Time";
import { Trouble } from "./Trouble";

interface Props {
  tenantId: string;
  id: string;
  /** The name of the job, as a label of its bar. */
  name: string;
  /** Is called once, when it is over. */
  over?: (job: Schemas["Job"]) => void;
}

/** The progress of a job that a person waits for, and its result. */
export function JobProgress({ tenantId, id, name, over }: Props) {
  const query = useJob(tenantId, id);
  const job = query.data;
  const ended = jobOver(job);
  const tell = useEffectEvent(() => job && over?.(job));
  useEffect(() => {
    if (ended) tell();
  }, [ended]);
  if (!job) return query.isError ? <Trouble error={query.error} again={() => void query.refetch()} /> : <Progress value={0} aria-label={name} />;
  const p = job.progress;
  return (
    <Stack gap="xs">
      <Text role="status">
        {name}: {texts.state[job.state]}
        {!ended && p && ` (${texts.progress(p.stage, p.done, p.total)})`}
      </Text>
      {!ended && <Progress value={p && p.total > 0 ? (100 * p.done) / p.total : 0} aria-label={name} />}
      {!ended && job.nextAt && (
        <Text size="sm" c="dimmed">
          {texts.next} <Time at={job.nextAt} />
        </Text>
      )}
      {job.error && (
        <div className="note bad" role="alert">
          {job.error}
        </div>
      )}
      {job.outcome && <Outcome of={job.outcome} />}
      {query.isError && <Text size="sm">{texts.unread}</Text>}
    </Stack>
  );
}

/** The important part of a job's result. */
function Outcome({ of }: { of: NonNullable<Schemas["Job"]["outcome"]> }) {
  return (
    <List size="sm">
      {of.notes.map((n) => (
        <List.Item key={n}>{n}</List.Item>
      ))}
    </List>
  );
}
