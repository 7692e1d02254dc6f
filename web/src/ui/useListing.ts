import { useInfiniteQuery, type InfiniteData, type UseInfiniteQueryResult } from "@tanstack/react-query";
import type { Answer } from "@/api/client";

/** A page of a list, in the form of every list of the interface. */
export interface Part<T> {
  items: T[];
  nextCursor?: string | undefined;
}

export interface Listing<T> {
  /** Differs between lists of other places or filters. */
  key: string;
  items: T[];
  filled: boolean;
  query: UseInfiniteQueryResult<InfiniteData<Answer<Part<T>>>>;
}

/**
 * Reads a list part by part, by the cursor of the part before. The key holds
 * everything that the list depends on: its place and its filters. again says in how
 * many ms a list with these rows is read once more by itself; without it it is not.
 */
export function useListing<T>(key: readonly unknown[], read: (cursor: string | undefined, signal: AbortSignal) => Promise<Answer<Part<T>>>, again?: (items: readonly T[]) => number | false): Listing<T> {
  const query = useInfiniteQuery({
    queryKey: key,
    initialPageParam: undefined as string | undefined,
    queryFn: ({ pageParam, signal }) => read(pageParam, signal),
    getNextPageParam: (last) => last.data.nextCursor || undefined,
    refetchInterval: (q) => again?.(q.state.data?.pages.flatMap((p) => p.data.items) ?? []) ?? false,
  });
  return { key: JSON.stringify(key), query, items: query.data?.pages.flatMap((p) => p.data.items) ?? [], filled: query.data?.pages[0]?.filled ?? true };
}
