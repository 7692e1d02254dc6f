import { useState } from "react";
import { Button, Group, NativeSelect, NumberInput, TextInput } from "@mantine/core";
import { text } from "@/texts";
import { findings as texts } from "@/texts/findings";
import { RepositoryPicker } from "@/ui/RepositoryPicker";
import type { FindingsSearch } from "./route";

interface Props {
  tenantId: string;
  search: FindingsSearch;
  change: (to: Record<string, unknown>) => void;
}

/** The filters of the list. A choice takes effect immediately, typed text when it is submitted. */
export function Filters({ tenantId, search, change }: Props) {
  const [rule, setRule] = useState(search.rule ?? "");
  const [path, setPath] = useState(search.path ?? "");
  const [number, setNumber] = useState<string | number>(search.number ?? "");
  const choice = (key: "state" | "severity" | "category", label: string, names: Record<string, string>) => (
    <NativeSelect
      label={label}
      autoComplete="off"
      value={search[key] ?? ""}
      data={[{ value: "", label: text.common.all }, ...Object.entries(names).map(([value, name]) => ({ value, label: name }))]}
      onChange={(e) => change({ [key]: e.currentTarget.value })}
    />
  );
  return (
    <form
      onSubmit={(e) => {
        e.preventDefault();
        change({ rule, path, number });
      }}
    >
      <Group align="flex-end">
        <RepositoryPicker tenantId={tenantId} value={search.repository ?? ""} onChange={(repository) => change({ repository })} />
        {choice("state", text.common.state, texts.states)}
        {choice("severity", texts.severity, texts.severities)}
        {choice("category", texts.category, texts.categories)}
        <TextInput label={texts.rule} value={rule} maxLength={300} autoComplete="off" onChange={(e) => setRule(e.currentTarget.value)} />
        <TextInput label={texts.path} value={path} maxLength={4096} autoComplete="off" onChange={(e) => setPath(e.currentTarget.value)} />
        <NumberInput label={texts.number} value={number} min={1} allowDecimal={false} hideControls autoComplete="off" onChange={setNumber} />
        <Button type="submit" variant="default">
          {text.common.filter}
        </Button>
      </Group>
    </form>
  );
}
