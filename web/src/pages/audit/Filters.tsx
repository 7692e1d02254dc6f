import { useState } from "react";
import { Button, Group, NativeSelect, TextInput } from "@mantine/core";
import { text } from "@/texts";
import { audit as texts } from "@/texts/audit";
import { type AuditSearch, localOf, timeOf } from "./search";

/** The filters of a log. What is chosen holds at once; what is typed, when it is sent. */
export function Filters({ search, change }: { search: AuditSearch; change: (to: Record<string, unknown>) => void }) {
  const [typed, setTyped] = useState({
    action: search.action ?? "",
    actor: search.actor ?? "",
    targetKind: search.targetKind ?? "",
    targetId: search.targetId ?? "",
    from: localOf(search.from),
    to: localOf(search.to),
  });
  const input = (key: keyof typeof typed, label: string, more: { type?: string; placeholder?: string; maxLength?: number } = {}) => (
    <TextInput label={label} autoComplete="off" value={typed[key]} onChange={(e) => setTyped({ ...typed, [key]: e.currentTarget.value })} {...more} />
  );
  return (
    <form
      onSubmit={(e) => {
        e.preventDefault();
        change({ ...typed, from: timeOf(typed.from), to: timeOf(typed.to) });
      }}
    >
      <Group align="flex-end">
        <NativeSelect
          label={texts.result}
          autoComplete="off"
          value={search.result ?? ""}
          data={[{ value: "", label: text.common.all }, ...Object.entries(texts.results).map(([value, label]) => ({ value, label }))]}
          onChange={(e) => change({ result: e.currentTarget.value })}
        />
        {input("action", texts.action, { placeholder: texts.actionSays, maxLength: 100 })}
        {input("targetKind", texts.targetKind, { maxLength: 100 })}
        {input("targetId", texts.targetId, { maxLength: 200 })}
        {input("actor", texts.actor, { maxLength: 100 })}
        {input("from", texts.from, { type: "datetime-local" })}
        {input("to", texts.to, { type: "datetime-local" })}
        <Button type="submit" variant="default">
          {text.common.filter}
        </Button>
      </Group>
    </form>
  );
}
