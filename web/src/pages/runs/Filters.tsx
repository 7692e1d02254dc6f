import { useState } from "react";
import { Button, Group, NativeSelect, NumberInput, TextInput } from "@mantine/core";
import { text } from "@/texts";
import { FoldedFilters } from "@/ui/FoldedFilters";
import { RepositoryPicker } from "@/ui/RepositoryPicker";
import type { RunsSearch } from "./route";

interface Props {
  tenantId: string;
  search: RunsSearch;
  change: (to: Record<string, unknown>) => void;
}

const rare = ["madeBy", "since", "until", "author", "number"] as const;

/** The filters of the list. A choice takes effect immediately, typed text when it is submitted. */
export function Filters({ tenantId, search, change }: Props) {
  const choice = (key: "state" | "madeBy", label: string, names: Record<string, string>) => (
    <NativeSelect
      label={label}
      autoComplete="off"
      value={search[key] ?? ""}
      data={[{ value: "", label: text.common.all }, ...Object.entries(names).map(([value, name]) => ({ value, label: name }))]}
      onChange={(e) => change({ [key]: e.currentTarget.value })}
    />
  );
  const day = (key: "since" | "until", label: string) => <TextInput label={label} type="date" autoComplete="off" value={search[key] ?? ""} onChange={(e) => change({ [key]: e.currentTarget.value })} />;
  const frequent = (
    <>
      <RepositoryPicker all={text.common.allRepositories} tenantId={tenantId} value={search.repository ?? ""} onChange={(repository) => change({ repository, ...(repository === "" ? { number: "" } : {}) })} />
      {choice("state", text.common.state, text.runs.state)}
    </>
  );
  const others = (
    <Group align="flex-end" gap="sm">
      {choice("madeBy", text.runs.made, text.runs.madeBy)}
      {day("since", text.runs.since)}
      {day("until", text.runs.until)}
      <Typed key={`${search.author} ${search.number}`} search={search} change={change} />
    </Group>
  );
  return <FoldedFilters set={rare.filter((key) => search[key] !== undefined).length} frequent={frequent} others={others} />;
}

/** The filters that a person types. The number of a pull request needs a repository. */
function Typed({ search, change }: Omit<Props, "tenantId">) {
  const [author, setAuthor] = useState(search.author ?? "");
  const [number, setNumber] = useState<string | number>(search.number ?? "");
  return (
    <form
      onSubmit={(e) => {
        e.preventDefault();
        change({ author, number: search.repository === undefined ? "" : number });
      }}
    >
      <Group align="flex-end" gap="sm">
        <TextInput label={text.runs.author} value={author} maxLength={200} autoComplete="off" onChange={(e) => setAuthor(e.currentTarget.value)} />
        {search.repository !== undefined && <NumberInput label={text.runs.number} value={number} min={1} allowDecimal={false} hideControls autoComplete="off" onChange={setNumber} />}
        <Button type="submit" variant="default">
          {text.common.filter}
        </Button>
      </Group>
    </form>
  );
}
