import type { ReactNode } from "react";
import { Select } from "@mantine/core";
import { queryOptions, useQuery } from "@tanstack/react-query";
import { api, ok } from "@/api/client";
import type { Schemas } from "@/api/queries";
import { text } from "@/texts";
import { Several } from "./Several";

const most = 20; // parts of the list of tenants that are read, of 200 each

/** The tenants of the instance, for who manages it. */
const allTenantsQuery = queryOptions({
  queryKey: ["instance", "tenants", "picker"],
  queryFn: async ({ signal }) => {
    const all: Schemas["Tenant"][] = [];
    let cursor: string | undefined;
    for (let part = 0; part < most; part++) {
      const read = await ok(api.GET("/api/instance/tenants", { params: { query: { limit: 200, ...(cursor ? { cursor } : {}) } }, signal }));
      all.push(...read.items);
      cursor = read.nextCursor;
      if (!cursor) break;
    }
    return all;
  },
});

interface Props {
  label: string;
  /** "": none. */
  value: string;
  onChange: (id: string) => void;
  placeholder: string;
}

/** Chooses a tenant of the instance by its name. */
export function TenantPicker({ label, value, onChange, placeholder }: Props) {
  const all = useQuery(allTenantsQuery);
  const data = (all.data ?? []).map((t) => ({ value: t.id, label: t.name }));
  if (value !== "" && !data.some((d) => d.value === value)) data.unshift({ value, label: value });
  return (
    <Select
      label={label}
      data={data}
      value={value === "" ? null : value}
      onChange={(id) => onChange(id ?? "")}
      placeholder={placeholder}
      searchable
      clearable
      clearButtonProps={{ "aria-label": text.common.clear }}
      autoComplete="off"
      nothingFoundMessage={text.frame.nothingFound}
    />
  );
}

/** Chooses several tenants by their names. */
export function TenantsField({ label, says, ids, change, error }: { label: string; says?: string; ids: readonly string[]; change: (ids: string[]) => void; error?: ReactNode }) {
  const all = useQuery(allTenantsQuery);
  const nameOf = (id: string) => all.data?.find((t) => t.id === id)?.name ?? id;
  return <Several label={label} {...(says === undefined ? {} : { says })} ids={ids} nameOf={nameOf} change={change} error={error} picker={(add) => <TenantPicker label={text.frame.tenant} value="" onChange={add} placeholder={text.common.chooseRepository} />} />;
}
