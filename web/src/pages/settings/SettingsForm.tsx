import { useEffect, useEffectEvent, useState } from "react";
import { Anchor, Button, Group, Stack, Text, Title } from "@mantine/core";
import type { Answer } from "@/api/client";
import type { Schemas } from "@/api/queries";
import { groupNames, settings as texts } from "@/texts/settings";
import type { Differing } from "@/ui/Difference";
import { Trouble } from "@/ui/Trouble";
import { useUnsaved } from "@/ui/useUnsaved";
import { isLocked, setLock, type Change } from "./document";
import { FoldedSettings, type SearchView } from "./FoldedSettings";
import { Meeting } from "./Meeting";
import { SaveDialog } from "./SaveDialog";
import { SettingRow, type Inherited } from "./SettingRow";
import "./settings.css";
import type { Value } from "./table";
import { useSettings } from "./useSettings";
import { valueText, type Worded } from "./words";

/** The member of a document that lists the settings repositories may not change. */
export const lockedName = "locked";

interface Props {
  tenantId: string;
  table: readonly Worded[];
  groups: readonly (keyof typeof groupNames)[];
  stored: Answer<{ notInEffect?: Schemas["NotInEffect"][] }>;
  send: (document: Record<string, unknown>, etag: string) => Promise<Answer<unknown>>;
  read: () => Promise<Answer<unknown>>;
  saved: (now: Answer<unknown>) => void;
  /** Asks what the last reviews would have been under a document. */
  whatIf?: (document: Record<string, unknown>) => Promise<Schemas["WhatIf"]>;
  mayChange: boolean;
  /** The value that applies if the document does not set one; absent if it sets every setting. */
  inherited?: (name: string) => Inherited | undefined;
  /** Whether a setting is locked above. */
  lockedAbove?: (name: string) => boolean;
  /** Why a setting cannot be changed here although the person may change others; undefined if it can. */
  fixed?: (name: string) => string | undefined;
  /** The settings that this document locks for others; absent if it cannot lock. */
  locks?: readonly string[];
  listed?: readonly { id: string; name: string }[];
  /** The search of the address: groups then open and close. Absent: all settings are shown. */
  view?: SearchView;
}

/** Brings a setting into view, and the keyboard to its field. */
function goToSetting(name: string): void {
  const row = document.getElementById(`setting-${name}`);
  row?.scrollIntoView({ block: "center" });
  row?.querySelector<HTMLElement>("input, select, textarea, button")?.focus({ preventScroll: true });
}

/** A document of settings, in groups: each with its effective value and the reason, and a preview of the changes before they are saved. */
export function SettingsForm(p: Props) {
  // Settings that are locked above are not in this document: they would be refused, and earlier values have no effect.
  const names = [...p.table.map((s) => s.name).filter((name) => !p.lockedAbove?.(name)), ...(p.locks ? [lockedName] : [])];
  const s = useSettings({ names, stored: p.stored, send: p.send, read: p.read, saved: p.saved });
  const [looking, setLooking] = useState(false);
  useUnsaved(() => s.changes.length > 0);
  const goToFirst = useEffectEvent(() => {
    const first = p.table.find((o) => s.faults[o.name] !== undefined)?.name;
    if (first !== undefined) goToSetting(first);
  });
  useEffect(() => {
    if (s.refusals > 0) goToFirst(); // once for each refusal, and not while its settings are mended
  }, [s.refusals]);
  const nameOf = (name: string) => (name === lockedName ? texts.locks : (p.table.find((o) => o.name === name)?.label ?? name));
  const shown = (name: string, value: Value | undefined) => {
    const setting = p.table.find((o) => o.name === name);
    if (!setting) return Array.isArray(value) && value.length > 0 ? value.map(nameOf).join(", ") : texts.empty;
    const inherited = p.inherited?.(name);
    if (value === undefined && inherited) return texts.saving.inherited(valueText(setting, inherited.value, p.listed));
    return valueText(setting, value, p.listed);
  };
  const rows = (changes: readonly Change[]): readonly Differing[] => changes.map((c) => ({ key: c.name, name: nameOf(c.name), before: shown(c.name, c.before), after: shown(c.name, c.after) }));
  const ask = p.whatIf;
  const locked = (s.draft[lockedName] ?? []) as readonly string[];
  const row = (o: Worded) => (
    <SettingRow
      key={o.name}
      setting={o}
      value={s.draft[o.name]}
      inherited={p.inherited?.(o.name)}
      set={p.mayChange && p.fixed?.(o.name) === undefined ? (value) => s.set(o.name, value) : undefined}
      fixed={p.fixed?.(o.name)}
      locked={p.lockedAbove?.(o.name) ?? false}
      lock={p.locks?.includes(o.name) ? { on: isLocked(locked, o.name), set: (on) => s.set(lockedName, setLock(locked, o.name, on, p.locks!)) } : undefined}
      notInEffect={p.stored.data.notInEffect?.find((n) => n.setting === o.name)}
      error={s.faults[o.name]}
      {...(p.listed ? { listed: p.listed } : {})}
    />
  );
  return (
    <Stack>
      {!p.mayChange && <Text>{texts.readOnly}</Text>}
      {s.met && (
        <Meeting
          title={texts.met.title}
          rows={rows(s.met.theirs)}
          both={s.met.both.map((name) => ({ key: name, name: nameOf(name), take: () => s.set(name, s.met?.theirs.find((c) => c.name === name)?.after) }))}
          seen={s.seen}
        />
      )}
      {s.problem && <Trouble error={s.problem} />}
      {!p.view && p.groups.length > 2 && (
        <Group component="nav" gap="md" aria-label={texts.groups}>
          {p.groups.map((group) => (
            <Anchor key={group} href={`#group-${group}`} size="sm">
              {groupNames[group]}
            </Anchor>
          ))}
        </Group>
      )}
      <div className="settings">
        {p.view ? (
          <FoldedSettings
            view={p.view}
            table={p.table}
            groups={p.groups}
            isSet={(name) => s.draft[name] !== undefined}
            isLockedHere={(name) => isLocked(locked, name)}
            isUnsaved={(name) => s.changes.some((c) => c.name === name)}
            isRefused={(name) => s.faults[name] !== undefined}
            refusals={s.refusals}
            row={row}
          />
        ) : (
          <div>
            {p.groups.map((group) => (
              <section key={group} id={`group-${group}`} aria-label={groupNames[group]}>
                <Title order={2}>{groupNames[group]}</Title>
                {p.table.filter((o) => o.group === group).map(row)}
              </section>
            ))}
          </div>
        )}
        {p.mayChange && (
          <div className="save-bar" data-waits={s.changes.length > 0 || undefined}>
            <Stack gap="xs">
              <Text role="status">{s.changes.length === 0 ? texts.nothingChanged : texts.changed(s.changes.length)}</Text>
              {s.changes.length > 0 && (
                <>
                  <Button variant="default" onClick={s.drop}>
                    {texts.drop}
                  </Button>
                  <Button onClick={() => setLooking(true)} loading={s.saving}>
                    {texts.review}
                  </Button>
                </>
              )}
            </Stack>
          </div>
        )}
      </div>
      {looking && s.changes.length > 0 && (
        <SaveDialog
          rows={rows(s.changes)}
          close={() => setLooking(false)}
          save={() => {
            setLooking(false);
            s.save();
          }}
          saving={s.saving}
          tenantId={p.tenantId}
          nameOf={nameOf}
          ask={ask && (() => ask(s.document()))}
        />
      )}
    </Stack>
  );
}
