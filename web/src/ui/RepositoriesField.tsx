import type { ReactNode } from "react";
import { useQueries } from "@tanstack/react-query";
import { repositoryQuery } from "@/pages/policy/queries";
import { RepositoryPicker } from "./RepositoryPicker";
import { Several } from "./Several";

interface Props {
  tenantId: string;
  label: string;
  says?: string;
  ids: readonly string[];
  change: (ids: string[]) => void;
  error?: ReactNode;
}

/** Chooses several repositories of a tenant by their names. */
export function RepositoriesField({ tenantId, ids, ...rest }: Props) {
  const known = useQueries({ queries: ids.map((id) => repositoryQuery(tenantId, id)) });
  const nameOf = (id: string) => {
    const r = known.find((q) => q.data?.id === id)?.data;
    return r ? `${r.owner}/${r.name}` : id; // one that is gone has its id alone
  };
  return <Several {...rest} ids={ids} nameOf={nameOf} picker={(add) => <RepositoryPicker tenantId={tenantId} value="" onChange={add} />} />;
}
