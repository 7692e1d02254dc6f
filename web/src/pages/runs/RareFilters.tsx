import { text } from "@/texts";
import { TypedFilter } from "@/ui/TypedFilter";
import { Choice, type FilterProps } from "./Choice";

/** The filters that are folded at first: how a run was made, its days, and what a person types. */
export default function RareFilters({ search, change }: FilterProps) {
  const day = (key: "since" | "until", label: string) => <TypedFilter label={label} kind="date" value={search[key] ?? ""} apply={(v) => change({ [key]: v })} />;
  return (
    <>
      <Choice name="madeBy" label={text.runs.made} names={text.runs.madeBy} search={search} change={change} />
      {day("since", text.runs.since)}
      {day("until", text.runs.until)}
      <TypedFilter label={text.runs.author} value={search.author ?? ""} most={200} apply={(author) => change({ author })} />
      {/* The number of a pull request needs a repository. */}
      {search.repository !== undefined && <TypedFilter label={text.runs.number} kind="number" value={String(search.number ?? "")} most={16} apply={(number) => change({ number })} />}
    </>
  );
}
