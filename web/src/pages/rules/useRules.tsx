import { useMutation, useQueryClient } from "@tanstack/react-query";
import { keys } from "@/api/queries";
import { rules as texts } from "@/texts/rules";
import { confirm } from "@/ui/confirm";
import { notice } from "@/ui/notice";
import { deleteRule, rulesKey, type Place, type Rule } from "./place";

/** Deletes rules of a place, and reloads data that depends on them. */
export function useRules(place: Place) {
  const client = useQueryClient();
  const changed = () => {
    void client.invalidateQueries({ queryKey: rulesKey(place) });
    void client.invalidateQueries({ queryKey: keys.tenant(place.tenantId, "effective-rules") });
  };
  const removing = useMutation({
    mutationFn: (rule: Rule) => deleteRule(place, rule.id),
    onSuccess: () => notice(texts.removed),
    onSettled: changed,
  });
  const remove = (rule: Rule) => confirm({ title: texts.removeTitle, says: texts.removeSure(rule.title), does: texts.remove, then: () => removing.mutate(rule) });
  return { changed, remove, error: removing.error };
}
