import { useState } from "react";
import { Button, Group, Modal, NativeSelect, Stack, Text, Textarea, TextInput } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { answer, api, ok } from "@/api/client";
import { asProblem } from "@/api/problem";
import type { Schemas } from "@/api/queries";
import { localOf, timeOf } from "@/pages/audit/search";
import { text } from "@/texts";
import { deadLetters as texts } from "@/texts/instance";
import { confirm } from "@/ui/confirm";
import { Empty } from "@/ui/Empty";
import { Facts } from "@/ui/Facts";
import { exactTime } from "@/ui/format";
import { FormTrouble } from "@/ui/FormTrouble";
import { type Column, ListTable } from "@/ui/ListTable";
import { notice } from "@/ui/notice";
import { Page } from "@/ui/Page";
import { Time } from "@/ui/Time";
import { useListing } from "@/ui/useListing";
import { useServerForm } from "@/ui/useServerForm";
import { type DeadSearch, readDead } from "./search";

type Dead = Schemas["DeadLetter"];

const key = ["instance", "dead-letters"] as const;

/** Jobs that were given up, to be done again or dropped. */
export function DeadLettersPage() {
  const search = readDead(useSearch({ from: "/instance/dead-letters" }));
  const navigate = useNavigate({ from: "/instance/dead-letters" });
  const change = (to: Record<string, unknown>) => void navigate({ search: readDead({ ...search, ...to }) as Record<string, unknown>, replace: true });
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
    onError: (error) => notice(asProblem(error).absent ? texts.gone : asProblem(error).message, "bad"),
    onSettled: settled,
  });
  const again = (j: Dead) => confirm({ title: texts.redriveTitle, says: texts.redriveSays, does: texts.redrive, then: () => redrive.mutate(j.id) });
  const columns: readonly Column<Dead>[] = [
    { key: "gaveUp", heading: texts.gaveUp, cell: (j) => <Time at={j.finishedAt} /> },
    { key: "kind", heading: texts.kind, cell: (j) => <code>{j.kind}</code> },
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
  const filtered = Object.keys(search).length > 0;
  return (
    <Page title={text.frame.deadLetters}>
      <Text>{texts.says}</Text>
      <Filters key={JSON.stringify(search)} search={search} change={change} />
      <ListTable
        caption={texts.caption}
        columns={columns}
        listing={listing}
        rowKey={(j) => j.id}
        empty={
          <Empty
            says={filtered ? texts.empty : texts.none}
            action={
              filtered ? (
                <Button variant="default" onClick={() => void navigate({ search: {}, replace: true })}>
                  {texts.clear}
                </Button>
              ) : undefined
            }
          />
        }
      />
      <Modal opened={open !== undefined} onClose={() => setOpen(undefined)} size="xl" title={open?.dropping ? texts.discardTitle : texts.title} closeButtonProps={{ "aria-label": text.common.close }}>
        {open &&
          (open.dropping ? (
            <Drop job={open.job} done={settled} />
          ) : (
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
          ))}
      </Modal>
    </Page>
  );
}

function Details({ job: j }: { job: Dead }) {
  return (
    <Facts
      of={[
        [texts.kind, j.kind],
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

function Filters({ search, change }: { search: DeadSearch; change: (to: Record<string, unknown>) => void }) {
  const [typed, setTyped] = useState({ kind: search.kind ?? "", tenantId: search.tenantId ?? "", since: localOf(search.since) });
  const input = (key: keyof typeof typed, label: string, more: object = {}) => <TextInput label={label} autoComplete="off" value={typed[key]} onChange={(e) => setTyped({ ...typed, [key]: e.currentTarget.value })} {...more} />;
  return (
    <form
      onSubmit={(e) => {
        e.preventDefault();
        change({ ...typed, since: timeOf(typed.since) });
      }}
    >
      <Group align="flex-end">
        <NativeSelect
          label={texts.lane}
          autoComplete="off"
          value={search.lane ?? ""}
          data={[{ value: "", label: text.common.all }, ...Object.entries(texts.lanes).map(([value, label]) => ({ value, label }))]}
          onChange={(e) => change({ lane: e.currentTarget.value })}
        />
        {input("kind", texts.kind, { maxLength: 100, placeholder: texts.kindSays })}
        {input("tenantId", texts.tenant, { maxLength: 100 })}
        {input("since", texts.since, { type: "datetime-local" })}
        <Button type="submit" variant="default">
          {text.common.filter}
        </Button>
      </Group>
    </form>
  );
}
