import type { ReactNode } from "react";
import { NativeSelect } from "@mantine/core";
import { text } from "@/texts";
import { FilterBar } from "./FilterBar";
import { FoldedFilters } from "./FoldedFilters";
import { localOf, timeOf } from "./moment";
import { TypedFilter } from "./TypedFilter";

/** A filter with a list of values to choose from, by the names that people read. */
export interface Choice {
  key: string;
  label: string;
  names: Record<string, string>;
}

/** A filter that is typed: words, or a point in time. */
export interface Typed {
  key: string;
  label: string;
  at?: boolean;
  /** In characters; 100 by default. */
  most?: number;
  example?: string;
}

interface Props {
  choices: readonly Choice[];
  typed: readonly Typed[];
  /** Typed filters that are folded at first. */
  rare?: readonly Typed[];
  /** Further filters that are chosen. */
  more?: ReactNode;
  filters: Readonly<Record<string, string | undefined>>;
  change: (to: Record<string, string | undefined>) => void;
}

/** The filters of a list. A choice takes effect immediately, typed text with Enter or when its field loses the focus. */
export function FilterForm({ choices, typed, rare = [], more, filters, change }: Props) {
  const field = (t: Typed) =>
    t.at ? (
      <TypedFilter key={t.key} label={t.label} kind="datetime-local" value={localOf(filters[t.key])} apply={(v) => change({ [t.key]: timeOf(v) })} />
    ) : (
      <TypedFilter key={t.key} label={t.label} value={filters[t.key] ?? ""} most={t.most ?? 100} {...(t.example === undefined ? {} : { example: t.example })} apply={(v) => change({ [t.key]: v })} />
    );
  return (
    <FilterBar filters={filters} change={change}>
      {choices.map((c) => (
        <NativeSelect
          key={c.key}
          label={c.label}
          autoComplete="off"
          value={filters[c.key] ?? ""}
          data={[{ value: "", label: text.common.all }, ...Object.entries(c.names).map(([value, label]) => ({ value, label }))]}
          onChange={(e) => change({ [c.key]: e.currentTarget.value })}
        />
      ))}
      {more}
      {typed.map(field)}
      {rare.length > 0 && <FoldedFilters set={rare.filter((t) => filters[t.key] !== undefined).length} frequent={null} others={rare.map(field)} />}
    </FilterBar>
  );
}
