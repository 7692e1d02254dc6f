import { useState } from "react";
import { Button, Group, NumberInput, TextInput } from "@mantine/core";
import { text } from "@/texts";
import { Choice, type FilterProps } from "./Choice";

/** The filters that are folded at first: how a run was made, its days, and what a person types. */
export default function RareFilters({ search, change }: FilterProps) {
  const day = (key: "since" | "until", label: string) => <TextInput label={label} type="date" autoComplete="off" value={search[key] ?? ""} onChange={(e) => change({ [key]: e.currentTarget.value })} />;
  return (
    <Group align="flex-end" gap="sm">
      <Choice name="madeBy" label={text.runs.made} names={text.runs.madeBy} search={search} change={change} />
      {day("since", text.runs.since)}
      {day("until", text.runs.until)}
      <Typed key={`${search.author} ${search.number}`} search={search} change={change} />
    </Group>
  );
}

/** The filters that a person types. The number of a pull request needs a repository. */
function Typed({ search, change }: FilterProps) {
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
