import { useState } from "react";
import { Button, Modal, Stack, Text } from "@mantine/core";
import { text } from "@/texts";
import { audit as texts } from "@/texts/audit";
import { FilterForm } from "@/ui/FilterForm";
import { type Column, ListTable } from "@/ui/ListTable";
import { NoneListed } from "@/ui/NoneListed";
import { Outside } from "@/ui/Outside";
import { StateMark, type Tone } from "@/ui/StateMark";
import { Time } from "@/ui/Time";
import { useListing } from "@/ui/useListing";
import { EntryDetails } from "./EntryDetails";
import type { AuditSearch } from "./search";
import type { Entry, Source } from "./source";
import { Verification } from "./Verification";
import "./audit.css";

const tones: Record<Entry["result"], Tone> = { ok: "good", refused: "warn", failed: "bad" };

/** The actor of an entry, in words. */
export function actorOf(e: Entry): string {
  if (!e.actor) return texts.erased;
  if (e.actor.name) return e.actor.name;
  return e.actor.kind === "anonymous" ? texts.nobody : e.actor.kind === "user" ? (e.actor.id ?? "") : texts.service;
}

const kindOf = (kind: string): string => (Object.hasOwn(texts.targets, kind) ? texts.targets[kind]! : kind.replaceAll("-", " "));

/** The target of an entry, in words. A setting of a tenant is named by its kind, not by the id of the tenant. */
export function targetOf(e: Entry): string {
  if (!e.target) return e.erased ? texts.erased : "";
  const { kind, id, name } = e.target;
  return [kindOf(kind), name || (id.startsWith("ten_") ? "" : id)].filter((s) => s !== "").join(" ");
}

interface Props {
  source: Source;
  search: AuditSearch;
  change: (to: Record<string, unknown>) => void;
}

/** A log with its filters, the details of its entries, its verification and its export. */
export function AuditLog({ source, search, change }: Props) {
  const [open, setOpen] = useState<Entry>();
  const listing = useListing<Entry>([...source.key, search], (cursor, signal) => source.read(search, cursor, signal));
  const columns: readonly Column<Entry>[] = [
    { key: "when", heading: texts.when, cell: (e) => <Time at={e.at} /> },
    { key: "who", heading: texts.who, cell: (e) => <Outside says={actorOf(e)} /> },
    { key: "did", heading: texts.did, cell: (e) => <code>{e.action}</code> },
    { key: "target", heading: texts.target, cell: (e) => <Outside says={targetOf(e)} /> },
    { key: "result", heading: texts.result, cell: (e) => <StateMark tone={tones[e.result]}>{texts.results[e.result]}</StateMark> },
    {
      key: "details",
      heading: texts.details,
      cell: (e) => (
        <Button size="xs" variant="default" aria-label={texts.detailsOf(e.seq)} onClick={() => setOpen(e)}>
          {texts.details}
        </Button>
      ),
    },
  ];
  const only = (to: Record<string, unknown>) => {
    setOpen(undefined);
    change(to);
  };
  return (
    <Stack>
      <Text>{texts.says}</Text>
      <Verification source={source} />
      <FilterForm
        choices={[{ key: "result", label: texts.result, names: texts.results }]}
        typed={[{ key: "action", label: texts.action, example: texts.actionSays }]}
        rare={[
          { key: "targetKind", label: texts.targetKind },
          { key: "targetId", label: texts.targetId, most: 200 },
          { key: "actor", label: texts.actor },
          { key: "from", label: texts.from, at: true },
          { key: "to", label: texts.to, at: true },
        ]}
        filters={{ ...search }}
        change={change}
      />
      <ListTable
        caption={texts.caption}
        columns={columns}
        listing={listing}
        rowKey={(e) => String(e.seq)}
        empty={<NoneListed filters={search} none={texts.none} unmet={texts.empty} clears={texts.clear} change={change} />}
      />
      <Modal opened={open !== undefined} onClose={() => setOpen(undefined)} size="xl" title={open && texts.entry(open.seq)} closeButtonProps={{ "aria-label": text.common.close }}>
        {open && <EntryDetails entry={open} only={only} />}
      </Modal>
    </Stack>
  );
}
