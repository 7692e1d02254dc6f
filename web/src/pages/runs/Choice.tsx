import { NativeSelect } from "@mantine/core";
import { text } from "@/texts";
import type { RunsSearch } from "./route";

/** The filters of the address, and the function that changes some of them. */
export interface FilterProps {
  search: RunsSearch;
  change: (to: Record<string, unknown>) => void;
}

/** A filter with several named values. It can be unset. */
export function Choice({ name, label, names, search, change }: FilterProps & { name: "state" | "madeBy"; label: string; names: Record<string, string> }) {
  return (
    <NativeSelect
      label={label}
      autoComplete="off"
      value={search[name] ?? ""}
      data={[{ value: "", label: text.common.all }, ...Object.entries(names).map(([value, says]) => ({ value, label: says }))]}
      onChange={(e) => change({ [name]: e.currentTarget.value })}
    />
  );
}
