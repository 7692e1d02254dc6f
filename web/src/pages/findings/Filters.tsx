import { NativeSelect } from "@mantine/core";
import { text } from "@/texts";
import { findings as texts } from "@/texts/findings";
import { FoldedFilters } from "@/ui/FoldedFilters";
import { RepositoryPicker } from "@/ui/RepositoryPicker";
import { TypedFilter } from "@/ui/TypedFilter";
import type { FindingsSearch } from "./route";

interface Props {
  tenantId: string;
  search: FindingsSearch;
  change: (to: Record<string, unknown>) => void;
}

const rare = ["category", "pullRequests", "published", "rule", "path", "author", "number"] as const;

/** The filters of the list. A choice takes effect immediately, typed text with Enter or when its field loses the focus. */
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
      others={<Rare search={search} change={change} />}
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
  const typed = (key: "rule" | "path" | "author" | "number", label: string, most: number, example = "") => (
    <TypedFilter key={key} label={label} value={String(search[key] ?? "")} most={most} example={example} apply={(v) => change({ [key]: v })} {...(key === "number" ? { kind: "number" } : {})} />
  );
  return (
    <>
      <Choice of="category" label={texts.category} names={texts.categories} all={text.common.all} search={search} change={change} />
      <Choice of="pullRequests" label={texts.pullRequests} names={texts.pulls} search={search} change={change} />
      <Choice of="published" label={texts.published} names={texts.publications} search={search} change={change} />
      {typed("rule", texts.rule, 300, texts.wholeRule)}
      {typed("path", texts.path, 4096, texts.wholePath)}
      {typed("author", texts.author, 200)}
      {typed("number", texts.number, 16)}
    </>
  );
}
