import { ChoiceFilter } from "@/ui/ChoiceFilter";
import type { RunsSearch } from "./route";

/** The filters of the address, and the function that changes some of them. */
export interface FilterProps {
  search: RunsSearch;
  change: (to: Record<string, unknown>) => void;
}

/** A filter with several named values. It can be unset. */
export function Choice({ name, label, names, search, change }: FilterProps & { name: "state" | "madeBy"; label: string; names: Record<string, string> }) {
  return <ChoiceFilter label={label} names={names} value={search[name]} apply={(value) => change({ [name]: value })} />;
}
