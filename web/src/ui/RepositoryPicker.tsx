import { useState, type ReactNode } from "react";
import { Select } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { useQuery } from "@tanstack/react-query";
import { keys, readRepositories } from "@/api/queries";
import { repositoryQuery } from "@/pages/policy/queries";
import { text } from "@/texts";

const pause = 250; // in ms, between the last key and the request

interface Props {
  tenantId: string;
  /** "" if no repository is chosen. */
  value: string;
  onChange: (id: string) => void;
  /** The text if an empty choice means all repositories; without it a repository must be chosen. */
  all?: string;
  /** The error of the chosen one. */
  error?: ReactNode;
}

const option = (r: { id: string; owner: string; name: string }) => ({ value: r.id, label: `${r.owner}/${r.name}` });

/** Chooses a repository of the tenant by a part of its name. */
export function RepositoryPicker({ tenantId, value, onChange, all, error }: Props) {
  const [search, setSearch] = useState("");
  const [name] = useDebouncedValue(search.trim().split("/").at(-1) ?? "", pause); // of owner/name, which the field shows of the one that is chosen
  const found = useQuery({
    queryKey: keys.tenant(tenantId, "repositories", "picker", name),
    queryFn: ({ signal }) => readRepositories(tenantId, name === "" || name.includes(" ") ? {} : { name }, undefined, signal),
    placeholderData: (before) => before,
  });
  const data = (found.data?.data.items ?? []).map(option);
  const listed = value === "" || data.some((d) => d.value === value);
  const chosen = useQuery({ ...repositoryQuery(tenantId, value), enabled: !listed && !found.isPending });
  if (!listed) data.unshift(chosen.data ? option(chosen.data) : { value, label: chosen.isError ? value : text.common.loading });
  return (
    <Select
      label={text.common.repository}
      data={data}
      value={value === "" ? null : value}
      onChange={(id) => onChange(id ?? "")}
      onSearchChange={setSearch}
      placeholder={all ?? text.common.chooseRepository}
      searchable
      clearable={all !== undefined}
      clearButtonProps={{ "aria-label": text.common.clear }}
      error={error}
      autoComplete="off"
      nothingFoundMessage={text.frame.nothingFound}
    />
  );
}
