import { NativeSelect } from "@mantine/core";
import { text } from "@/texts";
import { FoldedFilters } from "@/ui/FoldedFilters";
import { RepositoryPicker } from "@/ui/RepositoryPicker";
import { TypedFilter } from "@/ui/TypedFilter";
import type { RunsSearch } from "./route";

interface Props {
  tenantId: string;
  search: RunsSearch;
  change: (to: Record<string, unknown>) => void;
}

const rare = ["madeBy", "since", "until", "author", "number"] as const;

/** The filters of the list. A choice takes effect immediately, typed text with Enter or when its field loses the focus. */
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
  const day = (key: "since" | "until", label: string) => <TypedFilter label={label} kind="date" value={search[key] ?? ""} apply={(v) => change({ [key]: v })} />;
  const frequent = (
    <>
      <RepositoryPicker all={text.common.allRepositories} tenantId={tenantId} value={search.repository ?? ""} onChange={(repository) => change({ repository, ...(repository === "" ? { number: "" } : {}) })} />
      {choice("state", text.common.state, text.runs.state)}
    </>
  );
  const others = (
    <>
      {choice("madeBy", text.runs.made, text.runs.madeBy)}
      {day("since", text.runs.since)}
      {day("until", text.runs.until)}
      <TypedFilter label={text.runs.author} value={search.author ?? ""} most={200} apply={(author) => change({ author })} />
      {/* The number of a pull request needs a repository. */}
      {search.repository !== undefined && <TypedFilter label={text.runs.number} kind="digits" value={String(search.number ?? "")} most={16} apply={(number) => change({ number })} />}
    </>
  );
  return <FoldedFilters set={rare.filter((key) => search[key] !== undefined).length} frequent={frequent} others={others} />;
}
