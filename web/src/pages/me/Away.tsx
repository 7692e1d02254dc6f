import { useState } from "react";
import { Button, Checkbox, Group, NativeSelect, Stack, TextInput } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { answer, api, ok } from "@/api/client";
import { keys, type Schemas } from "@/api/queries";
import { reviewing } from "@/texts/reviewing";
import { Empty } from "@/ui/Empty";
import { exactTime } from "@/ui/format";
import { FormTrouble } from "@/ui/FormTrouble";
import { type Column, ListTable } from "@/ui/ListTable";
import { timeOf } from "@/ui/moment";
import { failed } from "@/ui/failed";
import { notice } from "@/ui/notice";
import { Outside } from "@/ui/Outside";
import { useListing } from "@/ui/useListing";
import { useServerForm } from "@/ui/useServerForm";

type Time = Schemas["Availability"];

const texts = reviewing.away;

/** When the person is away or reviews less. */
export function Away({ tenantId }: { tenantId: string }) {
  const client = useQueryClient();
  const key = keys.tenant(tenantId, "availability");
  const [past, setPast] = useState(false);
  const [round, setRound] = useState(0);
  const listing = useListing<Time>([...key, { past }], (cursor, signal) =>
    answer(api.GET("/api/me/tenants/{tenantId}/assignment/availability", { params: { path: { tenantId }, query: { ...(past ? { past } : {}), ...(cursor ? { cursor } : {}) } }, signal })),
  );
  const fresh = () => client.invalidateQueries({ queryKey: key });
  const remove = useMutation({
    mutationFn: (id: string) => ok(api.DELETE("/api/me/tenants/{tenantId}/assignment/availability/{id}", { params: { path: { tenantId, id } } })),
    onSuccess: () => notice(texts.removed),
    onError: (error) => failed(error),
    onSettled: fresh,
  });
  const columns: readonly Column<Time>[] = [
    { key: "from", heading: texts.from, cell: (t) => exactTime(t.from) },
    { key: "to", heading: texts.to, cell: (t) => exactTime(t.to) },
    { key: "kind", heading: texts.kind, cell: (t) => texts.kinds[t.kind] },
    { key: "note", heading: texts.note, cell: (t) => <Outside says={t.note} /> },
    {
      key: "remove",
      heading: texts.remove,
      cell: (t) => (
        <Button size="xs" variant="default" aria-label={texts.removeOf(exactTime(t.from))} loading={remove.isPending && remove.variables === t.id} onClick={() => remove.mutate(t.id)}>
          {texts.remove}
        </Button>
      ),
    },
  ];
  return (
    <Stack>
      <Add
        key={round}
        tenantId={tenantId}
        done={() => {
          setRound(round + 1); // an empty form for the next one
          void fresh();
        }}
      />
      <Checkbox label={texts.past} checked={past} onChange={(e) => setPast(e.currentTarget.checked)} />
      <ListTable caption={texts.caption} columns={columns} listing={listing} rowKey={(t) => t.id} empty={<Empty says={texts.none} />} />
    </Stack>
  );
}

function Add({ tenantId, done }: { tenantId: string; done: () => void }) {
  const { form, submit, sending, problem, conflict } = useServerForm({
    initial: { from: "", to: "", kind: "away" as Time["kind"], note: "" },
    send: ({ from, to, ...rest }) => ok(api.POST("/api/me/tenants/{tenantId}/assignment/availability", { params: { path: { tenantId } }, body: { ...rest, from: timeOf(from) ?? "", to: timeOf(to) ?? "" } })),
    done,
    saved: texts.added,
  });
  return (
    <form onSubmit={submit}>
      <Stack gap="xs">
        <FormTrouble problem={problem} conflict={conflict} />
        <Group align="flex-start">
          <TextInput type="datetime-local" label={texts.from} required autoComplete="off" {...form.getInputProps("from")} />
          <TextInput type="datetime-local" label={texts.to} required autoComplete="off" {...form.getInputProps("to")} />
          <NativeSelect label={texts.kind} autoComplete="off" data={Object.entries(texts.kinds).map(([value, label]) => ({ value, label }))} {...form.getInputProps("kind")} />
          <TextInput label={texts.note} maxLength={200} autoComplete="off" {...form.getInputProps("note")} />
        </Group>
        <Group>
          <Button type="submit" variant="default" loading={sending}>
            {texts.add}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
