import type { ReactNode } from "react";
import { Stack } from "@mantine/core";
import { groupNames, settings as texts } from "@/texts/settings";
import { useTyped } from "@/ui/useTyped";
import { matches } from "./matches";
import type { SettingsSearch } from "./search";
import { NoSetting, SettingFinder } from "./SettingFinder";
import { SettingGroup } from "./SettingGroup";
import { useOpenGroups } from "./useOpenGroups";
import type { Worded } from "./words";

/** The search of the page's address, and the function that changes it. */
export interface SearchView {
  search: SettingsSearch;
  change: (to: Record<string, unknown>) => void;
}

interface Props {
  view: SearchView;
  table: readonly Worded[];
  groups: readonly (keyof typeof groupNames)[];
  isSet: (name: string) => boolean;
  /** Whether this document locks a setting for others. */
  isLockedHere: (name: string) => boolean;
  /** Whether a setting has a change that is not saved, or its removal. */
  isUnsaved: (name: string) => boolean;
  isRefused: (name: string) => boolean;
  refusals: number;
  row: (setting: Worded) => ReactNode;
}

/** Settings in groups that open and close, with a search. A refused setting is shown even if the search does not find it. */
export function FoldedSettings({ view, table, groups, isSet, isLockedHere, isUnsaved, isRefused, refusals, row }: Props) {
  const changedOnly = view.search.changed === true;
  const [typed, type] = useTyped(view.search.q ?? "", (q) => view.change({ q }));
  const words = typed.trim();
  const searching = words !== "" || changedOnly;
  const isChanged = (name: string) => isSet(name) || isLockedHere(name) || isUnsaved(name);
  const found = table.filter((s) => isRefused(s.name) || ((!changedOnly || isChanged(s.name)) && matches(s, words)));
  const shown = groups.filter((g) => found.some((s) => s.group === g));
  const refused = groups.filter((g) => table.some((s) => s.group === g && isRefused(s.name)));
  const open = useOpenGroups(searching ? `${words} ${changedOnly}` : "", refusals, refused);
  const showAll = () => {
    type("");
    view.change({ q: undefined, changed: undefined });
  };
  const counts = (group: string) => {
    const all = table.filter((s) => s.group === group);
    const locks = all.filter((s) => isLockedHere(s.name)).length;
    return [texts.setIn(all.filter((s) => isSet(s.name)).length, all.length), ...(locks > 0 ? [texts.lockedIn(locks)] : [])].join(", ");
  };
  return (
    <Stack>
      <SettingFinder
        typed={typed}
        type={type}
        changedOnly={changedOnly}
        setChangedOnly={(on) => view.change({ changed: on ? true : undefined })}
        says={searching ? texts.found(found.length, table.length) : texts.count(table.length, table.filter((s) => isSet(s.name)).length)}
        allOpen={shown.every(open.isOpen)}
        setAll={shown.length > 1 ? (all) => open.setOpen(shown, all) : undefined}
      />
      {found.length === 0 && <NoSetting words={words} changedOnly={changedOnly} showAll={showAll} searchAll={() => view.change({ changed: undefined })} />}
      <div>
        {shown.map((group) => (
          <SettingGroup key={group} name={groupNames[group]} counts={counts(group)} open={open.isOpen(group)} toggle={() => open.setOpen([group], !open.isOpen(group))}>
            {found.filter((s) => s.group === group).map(row)}
          </SettingGroup>
        ))}
      </div>
    </Stack>
  );
}
