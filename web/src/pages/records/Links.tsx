import { useState } from "react";
import { Button, Checkbox, Group, NativeSelect, Stack, Text, TextInput } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { answer, api, ok } from "@/api/client";
import type { Schemas } from "@/api/queries";
import { useMayManageTenant } from "@/api/roles";
import { records as texts } from "@/texts/records";
import { FormModal } from "@/ui/FormModal";
import { FormTrouble } from "@/ui/FormTrouble";
import type { Column } from "@/ui/ListTable";
import { Outside } from "@/ui/Outside";
import { RepositoryPicker } from "@/ui/RepositoryPicker";
import { StateMark } from "@/ui/StateMark";
import { useRemoval } from "@/ui/useRemoval";
import { useServerForm } from "@/ui/useServerForm";
import { Listed, listKey, madeAt, type Place } from "./Listed";

type Link = Schemas["RepositoryLink"];

const columns: readonly Column<Link>[] = [
  {
    key: "repository",
    heading: texts.repository,
    cell: (r) => (
      <Stack gap={0}>
        <Outside says={`${r.owner}/${r.name}`} />
        <Text size="sm" c="dimmed" className="outside">
          <Outside says={r.note} />
        </Text>
      </Stack>
    ),
  },
  { key: "kind", heading: texts.linkKind, cell: (r) => texts.linkKinds[r.kind] },
  { key: "state", heading: texts.state, cell: (r) => <StateMark tone={r.state === "active" ? "good" : "warn"}>{texts.linkStates[r.state]}</StateMark> },
  madeAt(),
];

/** The repositories that belong to this one. Administrators of the tenant link them. */
export function Links(at: Place) {
  const client = useQueryClient();
  const [open, setOpen] = useState(false);
  const may = useMayManageTenant(at.tenantId);
  const key = listKey(at, "links");
  const removal = useRemoval<Link>(key, (r) => ok(api.DELETE("/api/tenants/{tenantId}/repositories/{repositoryId}/links/{linkId}", { params: { path: { ...at, linkId: r.id } } })));
  const act: Column<Link> = {
    key: "act",
    heading: texts.act,
    cell: (r) => (
      <Button size="compact-sm" variant="default" aria-label={texts.removeOf(`${r.owner}/${r.name}`)} loading={removal.busy(r)} onClick={() => removal.ask(r, texts.removeLink(`${r.owner}/${r.name}`), texts.removeLinkSays)}>
        {texts.remove}
      </Button>
    ),
  };
  return (
    <Stack gap="sm">
      {may && (
        <Group>
          <Button onClick={() => setOpen(true)}>{texts.addLink}</Button>
        </Group>
      )}
      <Listed
        at={at}
        list="links"
        columns={may ? [...columns, act] : columns}
        rowKey={(r) => r.id}
        read={(query, signal) => answer(api.GET("/api/tenants/{tenantId}/repositories/{repositoryId}/links", { params: { path: at, query }, signal }))}
      />
      <FormModal title={texts.addLink} open={open} close={() => setOpen(false)}>
        {() => (
          <LinkForm
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

function LinkForm({ at, done }: { at: Place; done: () => void }) {
  const { form, submit, sending, problem, conflict } = useServerForm({
    initial: { repositoryId: "", kind: "consumer" as Link["kind"], note: "", confirmed: false },
    send: ({ note, confirmed, ...v }) =>
      ok(api.POST("/api/tenants/{tenantId}/repositories/{repositoryId}/links", { params: { path: at }, body: { ...v, ...(note.trim() === "" ? {} : { note }), ...(confirmed ? { confirmed } : {}) } })),
    done,
    saved: texts.added,
  });
  const { repositoryId } = form.getValues();
  return (
    <form onSubmit={submit} noValidate>
      <Stack>
        <FormTrouble problem={problem} conflict={conflict} />
        <RepositoryPicker tenantId={at.tenantId} value={repositoryId} onChange={(id) => form.setFieldValue("repositoryId", id)} error={form.errors["repositoryId"]} />
        <NativeSelect label={texts.linkKind} autoComplete="off" data={Object.entries(texts.linkKinds).map(([value, label]) => ({ value, label }))} {...form.getInputProps("kind")} />
        <TextInput label={texts.note} maxLength={500} autoComplete="off" {...form.getInputProps("note")} />
        <Checkbox label={texts.confirmed} description={texts.confirmedSays} {...form.getInputProps("confirmed", { type: "checkbox" })} />
        <Group>
          <Button type="submit" loading={sending}>
            {texts.add}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
