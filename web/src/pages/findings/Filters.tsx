import { useState } from "react";
import { Button, Group, NativeSelect, NumberInput, TextInput } from "@mantine/core";
import { text } from "@/texts";
import { findings as texts } from "@/texts/findings";
import { FoldedFilters } from "@/ui/FoldedFilters";
import { RepositoryPicker } from "@/ui/RepositoryPicker";
import type { FindingsSearch } from "./route";

interface Props {
  tenantId: string;
  search: FindingsSearch;
  change: (to: Record<string, unknown>) => void;
}

const rare = ["category", "pullRequests", "published", "rule", "path", "author", "number"] as const;

/** The filters of the list. A choice takes effect immediately, typed text when it is submitted. */
export function Filters({ tenantId, search, change }: Props) {
  const frequent = (
    <>
      <RepositoryPicker all={text.common.allRepositories} tenantId={tenantId} value={search.repository ?? ""} onChange={(repository) => change({ repository })} />
      <Choice of="severity" label={texts.severity} names={texts.severities} all={text.common.all} search={search} change={change} />
      <Choice of="state" label={text.common.state} names={texts.states} search={search} change={change} />
      <Choice of="sort" label={texts.sort} names={texts.orders} search={search} change={change} />
    </>
  );
  return (
    <FoldedFilters
      set={rare.filter((key) => search[key] !== undefined).length}
      frequent={frequent}
      others={<Rare key={`${search.rule} ${search.path} ${search.author} ${search.number}`} search={search} change={change} />}
    />
  );
}

interface ChoiceProps extends Omit<Props, "tenantId"> {
  of: "severity" | "state" | "sort" | "category" | "pullRequests" | "published";
  label: string;
  names: Record<string, string>;
  /** The name of no choice. Without it the first one holds if the address names none. */
  all?: string;
}

function Choice({ of, label, names, all, search, change }: ChoiceProps) {
  const data = Object.entries(names).map(([value, name]) => ({ value, label: name }));
  const first = data[0]?.value;
  return (
    <NativeSelect
      label={label}
      autoComplete="off"
      value={search[of] ?? (all === undefined ? first : "")}
      data={all === undefined ? data : [{ value: "", label: all }, ...data]}
      onChange={(e) => change({ [of]: all === undefined && e.currentTarget.value === first ? "" : e.currentTarget.value })}
    />
  );
}

function Rare({ search, change }: Omit<Props, "tenantId">) {
  const [rule, setRule] = useState(search.rule ?? "");
  const [path, setPath] = useState(search.path ?? "");
  const [author, setAuthor] = useState(search.author ?? "");
  const [number, setNumber] = useState<string | number>(search.number ?? "");
  return (
    <form
      onSubmit={(e) => {
        e.preventDefault();
        change({ rule, path, author, number });
      }}
    >
      <Group align="flex-end">
        <Choice of="category" label={texts.category} names={texts.categories} all={text.common.all} search={search} change={change} />
        <Choice of="pullRequests" label={texts.pullRequests} names={texts.pulls} search={search} change={change} />
        <Choice of="published" label={texts.published} names={texts.publications} search={search} change={change} />
        <TextInput label={texts.rule} value={rule} maxLength={300} autoComplete="off" onChange={(e) => setRule(e.currentTarget.value)} />
        <TextInput label={texts.path} value={path} maxLength={4096} autoComplete="off" onChange={(e) => setPath(e.currentTarget.value)} />
        <TextInput label={texts.author} value={author} maxLength={200} autoComplete="off" onChange={(e) => setAuthor(e.currentTarget.value)} />
        <NumberInput label={texts.number} value={number} min={1} allowDecimal={false} hideControls autoComplete="off" onChange={setNumber} />
        <Button type="submit" variant="default">
          {text.common.filter}
        </Button>
      </Group>
    </form>
  );
}
