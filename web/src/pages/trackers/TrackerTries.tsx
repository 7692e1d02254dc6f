import { useState } from "react";
import { Anchor, Button, Group, List, Stack, Text, Title } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { api, ok } from "@/api/client";
import type { Schemas } from "@/api/queries";
import { trackers as texts } from "@/texts/trackers";
import { CheckList } from "@/ui/CheckList";
import { JobProgress } from "@/ui/JobProgress";
import { Outside } from "@/ui/Outside";
import { Trouble } from "@/ui/Trouble";
import type { Tracker } from "./tracker";

/** The tests of a tracker: whether it works, what a review would read, and the issues of open pull requests. */
export function TrackerTries({ tenantId, tracker: c, changed }: { tenantId: string; tracker: Tracker; changed: () => void }) {
  const [job, setJob] = useState("");
  const params = { path: { tenantId, connectionId: c.id } };
  const test = useMutation({ mutationFn: () => ok(api.POST("/api/tenants/{tenantId}/tracker-connections/{connectionId}/test", { params })), onSettled: changed });
  const read = useMutation({ mutationFn: () => ok(api.POST("/api/tenants/{tenantId}/tracker-connections/{connectionId}/validate-mapping", { params })) });
  const backfill = useMutation({ mutationFn: () => ok(api.POST("/api/tenants/{tenantId}/tracker-connections/{connectionId}/backfill", { params })), onSuccess: (made) => setJob(made.id) });
  const signIn = useMutation({
    mutationFn: () => ok(api.POST("/api/tenants/{tenantId}/tracker-connections/{connectionId}/oauth/start", { params })),
    onSuccess: (consent) => window.location.assign(consent.url),
    gcTime: 0, // the address works once
  });
  const trouble = [test, read, backfill, signIn].find((m) => m.isError)?.error;
  return (
    <Stack gap="sm">
      {job !== "" && <JobProgress key={job} tenantId={tenantId} id={job} name={texts.backfillName} over={changed} />}
      {test.data && <CheckList checks={test.data.checks} words={texts.checks} title={texts.tested} />}
      {read.data && <Read trial={read.data} />}
      {trouble && <Trouble error={trouble} />}
      <Group gap="xs">
        {c.auth.kind === "oauth" && (
          <Button size="xs" variant="default" loading={signIn.isPending} onClick={() => signIn.mutate()}>
            {texts.signIn}
          </Button>
        )}
        <Button size="xs" variant="default" loading={test.isPending} onClick={() => test.mutate()}>
          {texts.test}
        </Button>
        <Button size="xs" variant="default" loading={read.isPending} onClick={() => read.mutate()}>
          {texts.tryMapping}
        </Button>
        <Button size="xs" variant="default" loading={backfill.isPending} disabled={!c.enabled} onClick={() => backfill.mutate()}>
          {texts.backfill}
        </Button>
      </Group>
    </Stack>
  );
}

/** What would be read of real issues. Their words were written by others. */
function Read({ trial }: { trial: Schemas["MappingTrial"] }) {
  return (
    <section className="note quiet" role="status">
      <Stack gap="sm">
        <Title order={3} size="h5">
          {texts.read}
        </Title>
        {trial.projects.length === 0 && <Text size="sm">{texts.readNone}</Text>}
        {trial.projects.map((p) => (
          <Stack key={p.key} gap={4}>
            <Text size="sm" fw={600}>
              <Outside says={p.name} /> (<Outside says={p.key} />)
            </Text>
            {p.problem && <Text size="sm">{p.problem}</Text>}
            {!p.problem && p.issues.length === 0 && <Text size="sm">{texts.readNoIssue}</Text>}
            {p.issues.map((i) => (
              <Issue key={i.key} issue={i} />
            ))}
          </Stack>
        ))}
        {trial.more > 0 && <Text size="sm">{texts.readMore(trial.more)}</Text>}
        {!trial.complete && <Text size="sm">{texts.readCut}</Text>}
      </Stack>
    </section>
  );
}

function Issue({ issue: i }: { issue: Schemas["MappingIssue"] }) {
  return (
    <div>
      <Text size="sm" className="wrap-anywhere">
        {/^https?:\/\//.test(i.url) ? (
          <Anchor href={i.url} rel="noreferrer" underline="always">
            {i.key}
          </Anchor>
        ) : (
          i.key
        )}{" "}
        <Outside says={i.title} /> · <Outside says={i.state} />
        {i.done && `, ${texts.issueDone}`}
      </Text>
      <Text size="sm" c="dimmed">
        {texts.source[i.source]} {i.heading && <Outside says={i.heading} />}
      </Text>
      {i.criteria.length > 0 && (
        <List size="sm" className="wrap-anywhere">
          {i.criteria.map((c) => (
            <List.Item key={c.text}>
              <Outside says={c.text} />
            </List.Item>
          ))}
        </List>
      )}
      {i.more > 0 && <Text size="sm">{texts.criteriaMore(i.more)}</Text>}
    </div>
  );
}
