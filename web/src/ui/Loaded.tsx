import { createContext, useContext, type ReactNode } from "react";
import { Skeleton, Stack, VisuallyHidden } from "@mantine/core";
import { useQueryClient, type UseQueryResult } from "@tanstack/react-query";
import { asProblem } from "@/api/problem";
import { useLost } from "@/api/useLost";
import { text } from "@/texts";
import { Trouble } from "./Trouble";

/** Lines that stand for what is on its way. */
export function Waiting({ lines = 4 }: { lines?: number }) {
  return (
    <Stack gap="sm" aria-busy="true">
      <VisuallyHidden role="status">{text.common.loading}</VisuallyHidden>
      {Array.from({ length: lines }, (_, i) => (
        <Skeleton key={i} height={18} width={`${95 - ((i * 17) % 40)}%`} />
      ))}
    </Stack>
  );
}

const Shown = createContext(""); // the code of the problem that a Loaded around this one shows

/** useComing reports whether data is missing only because the connection is lost, so that it comes by itself. */
export function useComing(query: { data: unknown; error: unknown }): boolean {
  const lost = useLost();
  return lost && query.data === undefined && query.error !== null && asProblem(query.error).outage;
}

/** Shows the result of a query, that it is loading, or why it failed. A result that is already there stays if a reload fails. */
export function Loaded<T>({ query, lines, children }: { query: UseQueryResult<T>; lines?: number; children: (data: T) => ReactNode }) {
  const client = useQueryClient();
  const above = useContext(Shown);
  const coming = useComing(query);
  // One box may stand for several failures, so everything that failed is asked again.
  const again = () => void client.refetchQueries({ type: "active", predicate: (q) => q.state.error !== null });
  if (query.isPending || coming) return <Waiting {...(lines === undefined ? {} : { lines })} />;
  const code = query.isError ? asProblem(query.error).code : "";
  const box = code !== "" && code !== above && <Trouble error={query.error} again={again} />;
  if (query.data === undefined) return box;
  return (
    <Shown value={code || above}>
      {box}
      {children(query.data)}
    </Shown>
  );
}
