import { useState } from "react";
import { Button, Checkbox, Group, Stack, Text, Textarea, TextInput } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { answer, api, ok } from "@/api/client";
import { keys, type Schemas } from "@/api/queries";
import { useMayManageTenant } from "@/api/roles";
import { patterns as texts } from "@/texts/patterns";
import { Empty } from "@/ui/Empty";
import { FormModal } from "@/ui/FormModal";
import { FormTrouble } from "@/ui/FormTrouble";
import { linesOf } from "@/ui/lines";
import { type Column, ListTable } from "@/ui/ListTable";
import { Outside } from "@/ui/Outside";
import { Page } from "@/ui/Page";
import { RepositoryPicker } from "@/ui/RepositoryPicker";
import { StateMark } from "@/ui/StateMark";
import { useListing } from "@/ui/useListing";
import { useRemoval } from "@/ui/useRemoval";
import { useServerForm } from "@/ui/useServerForm";

type Pattern = Schemas["PatternRepository"];

const route = getRouteApi("/t/$tenantId/patterns");

const columns: readonly Column<Pattern>[] = [
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
  { key: "paths", heading: texts.paths, cell: (r) => (r.paths.length === 0 ? texts.all : <code>{r.paths.join(", ")}</code>) },
  { key: "state", heading: texts.state, cell: (r) => <StateMark tone={r.state === "active" ? "good" : "warn"}>{texts.states[r.state]}</StateMark> },
];

/** The repositories that are examples for the others. Administrators of the tenant choose them. */
export function PatternsPage() {
  const { tenantId } = route.useParams();
  const client = useQueryClient();
  const [open, setOpen] = useState(false);
  const may = useMayManageTenant(tenantId);
  const key = keys.tenant(tenantId, "patterns");
  const listing = useListing<Pattern>(key, (cursor, signal) => answer(api.GET("/api/tenants/{tenantId}/pattern-repositories", { params: { path: { tenantId }, query: cursor ? { cursor } : {} }, signal })));
  const removal = useRemoval<Pattern>(key, (r) => ok(api.DELETE("/api/tenants/{tenantId}/pattern-repositories/{linkId}", { params: { path: { tenantId, linkId: r.id } } })));
  const act: Column<Pattern> = {
    key: "act",
    heading: texts.act,
    cell: (r) => (
      <Button size="compact-sm" variant="default" aria-label={texts.removeOf(`${r.owner}/${r.name}`)} loading={removal.busy(r)} onClick={() => removal.ask(r, texts.removeTitle(`${r.owner}/${r.name}`), texts.removeSays)}>
        {texts.act}
      </Button>
    ),
  };
  return (
    <Page title={texts.title} actions={may ? <Button onClick={() => setOpen(true)}>{texts.add}</Button> : undefined}>
      <Text>{texts.says}</Text>
      <ListTable caption={texts.caption} columns={may ? [...columns, act] : columns} listing={listing} rowKey={(r) => r.id} empty={<Empty says={texts.none} />} />
      <FormModal title={texts.add} open={open} close={() => setOpen(false)}>
        {() => (
          <PatternForm
            tenantId={tenantId}
            done={() => {
              setOpen(false);
              void client.invalidateQueries({ queryKey: key });
            }}
          />
        )}
      </FormModal>
    </Page>
  );
}

function PatternForm({ tenantId, done }: { tenantId: string; done: () => void }) {
  const { form, submit, sending, problem, conflict } = useServerForm({
    initial: { repositoryId: "", paths: "", note: "", confirmed: false },
    send: ({ repositoryId, paths, note, confirmed }) =>
      ok(
        api.POST("/api/tenants/{tenantId}/pattern-repositories", {
          params: { path: { tenantId } },
          body: { repositoryId, ...(paths.trim() === "" ? {} : { paths: linesOf(paths) }), ...(note.trim() === "" ? {} : { note }), ...(confirmed ? { confirmed } : {}) },
        }),
      ),
    done,
    saved: texts.added,
  });
  const { repositoryId } = form.getValues();
  const pathFault = Object.entries(form.errors).find(([name]) => name.startsWith("paths"))?.[1];
  return (
    <form onSubmit={submit} noValidate>
      <Stack>
        <FormTrouble problem={problem} conflict={conflict} />
        <RepositoryPicker tenantId={tenantId} value={repositoryId} onChange={(id) => form.setFieldValue("repositoryId", id)} error={form.errors["repositoryId"]} />
        <Textarea label={texts.paths} description={texts.pathsSays} rows={3} spellCheck={false} autoComplete="off" {...form.getInputProps("paths")} error={pathFault} />
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
