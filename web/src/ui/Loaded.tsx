import type { ReactNode } from "react";
import { Skeleton, Stack, VisuallyHidden } from "@mantine/core";
import type { UseQueryResult } from "@tanstack/react-query";
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

/** Shows the result of a query, that it is loading, or why it failed. A result that is already there stays if a reload fails. */
export function Loaded<T>({ query, lines, children }: { query: UseQueryResult<T>; lines?: number; children: (data: T) => ReactNode }) {
  const again = () => void query.refetch();
  if (query.isPending) return <Waiting {...(lines === undefined ? {} : { lines })} />;
  if (query.data === undefined) return <Trouble error={query.error} again={again} />;
  return (
    <>
      {query.isError && <Trouble error={query.error} again={again} />}
      {children(query.data)}
    </>
  );
}
