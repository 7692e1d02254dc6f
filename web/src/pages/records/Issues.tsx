import { useState } from "react";
import { Anchor, Button, Group, NumberInput, Stack, Text, TextInput } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { answer, api, ok } from "@/api/client";
import type { Schemas } from "@/api/queries";
import { useMayReview } from "@/api/roles";
import { records as texts } from "@/texts/records";
import { FormModal } from "@/ui/FormModal";
import { FormTrouble } from "@/ui/FormTrouble";
import type { Column } from "@/ui/ListTable";
import { Outside } from "@/ui/Outside";
import { StateMark } from "@/ui/StateMark";
import { useRemoval } from "@/ui/useRemoval";
import { useServerForm } from "@/ui/useServerForm";
import { Listed, listKey, type Place } from "./Listed";

type Issue = Schemas["TrackerLink"];

const columns: readonly Column<Issue>[] = [
  { key: "pull", heading: texts.pull, cell: (r) => `#${r.number}` },
  {
    key: "issue",
    heading: texts.issue,
    cell: (r) => (
      <Stack gap={0}>
        {/^https?:/.test(r.url) ? (
          <Anchor href={r.url} rel="noreferrer">
            {r.issueKey}
          </Anchor>
        ) : (
          <span>{r.issueKey}</span>
        )}
        <Text size="sm" className="outside">
          <Outside says={r.keyOnly ? texts.keyOnly : !r.readAt && !r.unread ? texts.notLookedAt : r.title} />
        </Text>
      </Stack>
    ),
  },
  {
    key: "state",
    heading: texts.state,
    cell: (r) => (
      <Stack gap={0} align="flex-start">
        {r.unread ? <StateMark tone="warn">{texts.unread}</StateMark> : <StateMark tone={r.done ? "good" : "quiet"}>{r.state || (r.done ? texts.done : "–")}</StateMark>}
        {r.unread && <Text size="sm">{r.unread}</Text>}
        {r.recheck && <Text size="sm">{texts.recheck(r.recheck)}</Text>}
      </Stack>
    ),
  },
  { key: "found", heading: texts.foundIn, cell: (r) => texts.places[r.foundIn] },
];

/** The issues of pull requests. People with review permission add and remove them. */
export function Issues(at: Place) {
  const client = useQueryClient();
  const [open, setOpen] = useState(false);
  const may = useMayReview(at.tenantId, at.repositoryId);
  const key = listKey(at, "tracker-links");
  const removal = useRemoval<Issue>(key, (r) => ok(api.DELETE("/api/tenants/{tenantId}/repositories/{repositoryId}/tracker-links/{linkId}", { params: { path: { ...at, linkId: r.id } } })));
  const act: Column<Issue> = {
    key: "act",
    heading: texts.act,
    cell: (r) => (
      <Button size="compact-sm" variant="default" aria-label={texts.removeOf(`${r.issueKey} #${r.number}`)} loading={removal.busy(r)} onClick={() => removal.ask(r, texts.removeIssue(r.issueKey, r.number), texts.removeIssueSays)}>
        {texts.remove}
      </Button>
    ),
  };
  return (
    <Stack gap="sm">
      {may && (
        <Group>
          <Button onClick={() => setOpen(true)}>{texts.addIssue}</Button>
        </Group>
      )}
      <Listed
        at={at}
        list="tracker-links"
        columns={may ? [...columns, act] : columns}
        rowKey={(r) => r.id}
        read={(query, signal) => answer(api.GET("/api/tenants/{tenantId}/repositories/{repositoryId}/tracker-links", { params: { path: at, query }, signal }))}
      />
      <FormModal title={texts.addIssue} open={open} close={() => setOpen(false)}>
        {() => (
          <IssueForm
            at={at}
            done={() => {
              setOpen(false);
              void client.invalidateQueries({ queryKey: key });
            }}
          />
        )}
      </FormModal>
    </Stack>
  );
}

function IssueForm({ at, done }: { at: Place; done: () => void }) {
  const { form, submit, sending, problem, conflict } = useServerForm({
    initial: { number: "" as number | string, issue: "" },
    send: (v) => ok(api.POST("/api/tenants/{tenantId}/repositories/{repositoryId}/tracker-links", { params: { path: at }, body: { number: Number(v.number), issue: v.issue } })),
    done,
    saved: texts.added,
  });
  return (
    <form onSubmit={submit} noValidate>
      <Stack>
        <FormTrouble problem={problem} conflict={conflict} />
        <NumberInput label={texts.number} required min={1} max={2147483647} allowDecimal={false} hideControls autoComplete="off" {...form.getInputProps("number")} />
        <TextInput label={texts.issueKey} required maxLength={1000} autoComplete="off" {...form.getInputProps("issue")} />
        <Group>
          <Button type="submit" loading={sending}>
            {texts.add}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
