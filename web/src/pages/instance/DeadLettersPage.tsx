import { useState } from "react";
import { Button, Group, Modal, Stack, Text, Textarea } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { answer, api, ok } from "@/api/client";
import { asProblem } from "@/api/problem";
import type { Schemas } from "@/api/queries";
import { text } from "@/texts";
import { deadLetters as texts } from "@/texts/instance";
import { confirm } from "@/ui/confirm";
import { Facts } from "@/ui/Facts";
import { FilterForm } from "@/ui/FilterForm";
import { exactTime } from "@/ui/format";
import { FormModal } from "@/ui/FormModal";
import { FormTrouble } from "@/ui/FormTrouble";
import { type Column, ListTable } from "@/ui/ListTable";
import { NoneListed } from "@/ui/NoneListed";
import { failed } from "@/ui/failed";
import { notice } from "@/ui/notice";
import { Page } from "@/ui/Page";
import { TenantPicker } from "@/ui/TenantPicker";
import { Time } from "@/ui/Time";
import { useFilters } from "@/ui/useFilters";
import { useListing } from "@/ui/useListing";
import { useServerForm } from "@/ui/useServerForm";
import { readDead } from "./search";

type Dead = Schemas["DeadLetter"];

const key = ["instance", "dead-letters"] as const;

/** Jobs that were given up, to be done again or dropped. */
export function DeadLettersPage() {
  const [search, change] = useFilters(readDead);
  const client = useQueryClient();
  const [open, setOpen] = useState<{ job: Dead; dropping: boolean }>();
  const listing = useListing<Dead>([...key, search], (cursor, signal) => answer(api.GET("/api/instance/dead-letters", { params: { query: { ...search, ...(cursor ? { cursor } : {}) } }, signal })));
  const settled = () => {
    setOpen(undefined);
    void client.invalidateQueries({ queryKey: ["instance"] });
  };
  const redrive = useMutation({
    mutationFn: (jobId: string) => ok(api.POST("/api/instance/dead-letters/{jobId}/redrive", { params: { path: { jobId } } })),
    onSuccess: () => notice(texts.redriven),
    onError: (error) => failed(error, asProblem(error).absent ? texts.gone : undefined),
    onSettled: settled,
  });
  const again = (j: Dead) => confirm({ title: texts.redriveTitle, says: texts.redriveSays, does: texts.redrive, then: () => redrive.mutate(j.id) });
  const columns: readonly Column<Dead>[] = [
    { key: "gaveUp", heading: texts.gaveUp, cell: (j) => <Time at={j.finishedAt} /> },
    { key: "kind", heading: texts.kind, cell: (j) => <Kind kind={j.kind} /> },
    { key: "subject", heading: texts.subject, cell: (j) => <code>{j.subject}</code> },
    { key: "error", heading: texts.error, cell: (j) => <Text size="sm" lineClamp={3}>{j.lastError}</Text> },
    {
      key: "details",
      heading: texts.details,
      cell: (j) => (
        <Button size="xs" variant="default" aria-label={texts.detailsOf(j.id)} onClick={() => setOpen({ job: j, dropping: false })}>
          {texts.details}
        </Button>
      ),
    },
  ];
  return (
    <Page title={text.frame.deadLetters}>
      <Text>{texts.says}</Text>
      <FilterForm
        choices={[{ key: "lane", label: texts.lane, names: texts.lanes }]}
        typed={[
          { key: "kind", label: texts.kind, example: texts.kindSays },
          { key: "since", label: texts.since, at: true },
        ]}
        more={<TenantPicker label={texts.tenant} value={search.tenantId ?? ""} onChange={(tenantId) => change({ tenantId })} placeholder={text.common.all} />}
        filters={{ ...search }}
        change={change}
      />
      <ListTable
        caption={texts.caption}
        columns={columns}
        listing={listing}
        rowKey={(j) => j.id}
        empty={<NoneListed filters={search} none={texts.none} unmet={texts.empty} clears={texts.clear} change={change} />}
      />
      <Modal opened={open?.dropping === false} onClose={() => setOpen(undefined)} size="xl" title={texts.title} closeButtonProps={{ "aria-label": text.common.close }}>
        {open && (
          <Stack>
            <Details job={open.job} />
            <Group>
              <Button loading={redrive.isPending} onClick={() => again(open.job)}>
                {texts.redrive}
              </Button>
              <Button variant="default" onClick={() => setOpen({ ...open, dropping: true })}>
                {texts.discard}
              </Button>
            </Group>
          </Stack>
        )}
      </Modal>
      <FormModal title={texts.discardTitle} open={open?.dropping === true} close={() => setOpen(undefined)} size="lg">
        {() => open && <Drop job={open.job} done={settled} />}
      </FormModal>
    </Page>
  );
}

function Details({ job: j }: { job: Dead }) {
  return (
    <Facts
      of={[
        [texts.kind, <Kind key="kind" kind={j.kind} />],
        [texts.lane, Object.hasOwn(texts.lanes, j.lane) ? texts.lanes[j.lane as keyof typeof texts.lanes] : j.lane],
        [texts.subject, j.subject],
        [texts.tenant, j.tenantId ?? ""],
        [texts.made, exactTime(j.createdAt)],
        [texts.gaveUp, exactTime(j.finishedAt)],
        [texts.attempts, String(j.attempts)],
        [texts.crashes, String(j.crashAttempts)],
        [texts.stage, j.lastStage],
        [texts.error, j.lastError],
      ]}
    />
  );
}

function Drop({ job, done }: { job: Dead; done: () => void }) {
  const { form, submit, sending, problem, conflict } = useServerForm({
    initial: { reason: "" },
    send: (body) => ok(api.POST("/api/instance/dead-letters/{jobId}/discard", { params: { path: { jobId: job.id } }, body })),
    done,
    saved: texts.discarded,
  });
  return (
    <form onSubmit={submit}>
      <Stack>
        <FormTrouble problem={problem} conflict={conflict} />
        <Text>{texts.discardSays}</Text>
        <Textarea label={texts.reason} required rows={3} maxLength={500} autoComplete="off" {...form.getInputProps("reason")} />
        <Group>
          <Button type="submit" color="red.9" loading={sending}>
            {texts.discard}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

/** The purpose of a job, with the name of its kind; only the name if this version does not have the kind. */
function Kind({ kind }: { kind: string }) {
  const says = Object.hasOwn(texts.kinds, kind) ? texts.kinds[kind] : "";
  return (
    <Stack gap={0}>
      {says && <span>{says}</span>}
      <code>{kind}</code>
    </Stack>
  );
}
