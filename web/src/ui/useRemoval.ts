import { useMutation, useQueryClient } from "@tanstack/react-query";
import { text } from "@/texts";
import { confirm } from "./confirm";
import { failed } from "./failed";
import { notice } from "./notice";

/** Takes entries out of a list, each after a question; the list is then read again. */
export function useRemoval<T>(key: readonly unknown[], remove: (row: T) => Promise<unknown>): { busy: (row: T) => boolean; ask: (row: T, title: string, says: string) => void } {
  const client = useQueryClient();
  const sent = useMutation({
    mutationFn: remove,
    onSuccess: () => notice(text.common.removed),
    onError: (error) => failed(error),
    onSettled: () => client.invalidateQueries({ queryKey: key }),
  });
  return { busy: (row) => sent.isPending && sent.variables === row, ask: (row, title, says) => confirm({ title, says, does: text.common.remove, then: () => sent.mutate(row) }) };
}
