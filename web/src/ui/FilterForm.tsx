import { useState, type ReactNode } from "react";
import { Button, Group, NativeSelect, TextInput } from "@mantine/core";
import { text } from "@/texts";
import { FilterBar } from "./FilterBar";
import { localOf, timeOf } from "./moment";

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
  /** Further filters that are chosen. */
  more?: ReactNode;
  filters: Readonly<Record<string, string | undefined>>;
  change: (to: Record<string, string | undefined>) => void;
}

/** The filters of a list. A choice takes effect immediately, typed text when it is submitted. */
export function FilterForm(props: Props) {
  return (
    <FilterBar filters={props.filters}>
      <Entry key={JSON.stringify(props.filters)} {...props} /> {/* typed text follows the address */}
    </FilterBar>
  );
}

function Entry({ choices, typed, more, filters, change }: Props) {
  const [entered, setEntered] = useState<Record<string, string>>(() => Object.fromEntries(typed.map((t) => [t.key, t.at ? localOf(filters[t.key]) : (filters[t.key] ?? "")])));
  return (
    <form
      onSubmit={(e) => {
        e.preventDefault();
        change(Object.fromEntries(typed.map((t) => [t.key, t.at ? timeOf(entered[t.key]) : entered[t.key]])));
      }}
    >
      <Group align="flex-end">
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
        {typed.map((t) => (
          <TextInput
            key={t.key}
            label={t.label}
            type={t.at ? "datetime-local" : "text"}
            autoComplete="off"
            value={entered[t.key] ?? ""}
            {...(t.at ? {} : { maxLength: t.most ?? 100 })}
            {...(t.example === undefined ? {} : { placeholder: t.example })}
            onChange={(e) => {
              const { value } = e.currentTarget;
              setEntered((now) => ({ ...now, [t.key]: value }));
            }}
          />
        ))}
        <Button type="submit" variant="default">
          {text.common.filter}
        </Button>
      </Group>
    </form>
  );
}
