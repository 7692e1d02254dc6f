import { useEffect } from "react";
import { useQuery } from "@tanstack/react-query";
import { keys, readRepositories } from "@/api/queries";

const place = (tenantId: string) => `assay-repository-${tenantId}`;

function remembered(tenantId: string): string {
  try {
    return localStorage.getItem(place(tenantId)) ?? "";
  } catch {
    return ""; // browsers may forbid storage
  }
}

function remember(tenantId: string, id: string): void {
  try {
    localStorage.setItem(place(tenantId), id);
  } catch {
    // It is chosen again next time.
  }
}

/** The repository to use if the address names none: the last one, if it still exists, or the only one; "" for no repository. */
export function usual(ids: readonly string[], last: string, more: boolean): string {
  if (last !== "" && (ids.includes(last) || more)) return last;
  return ids.length === 1 && !more ? (ids[0] ?? "") : "";
}

/** For a page that is about one repository: chooses the usual one where the address names none, and remembers the one that it names. */
export function useUsualRepository(tenantId: string, chosen: string | undefined, choose: (id: string) => void): void {
  const list = useQuery({
    queryKey: keys.tenant(tenantId, "repositories", "picker", ""),
    queryFn: ({ signal }) => readRepositories(tenantId, {}, undefined, signal),
    enabled: chosen === undefined,
  });
  const data = list.data?.data;
  const meant = data ? usual(data.items.map((r) => r.id), remembered(tenantId), data.nextCursor !== undefined) : "";
  useEffect(() => {
    if (chosen !== undefined) remember(tenantId, chosen);
    else if (meant !== "") choose(meant);
  }, [chosen, meant, tenantId, choose]);
}
