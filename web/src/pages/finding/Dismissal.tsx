import { Button, Text } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { api, ok } from "@/api/client";
import { keys, type Schemas } from "@/api/queries";
import { useMayReview } from "@/api/roles";
import { useDismiss } from "@/pages/findings/Dismissing";
import { finding as texts } from "@/texts/finding";
import { notice } from "@/ui/notice";
import { Trouble } from "@/ui/Trouble";

interface Path {
  tenantId: string;
  repositoryId: string;
  findingId: string;
}

/** Dismisses an open finding, or takes a dismissal back; for people who may decide about reviews. */
export function Dismissal({ path, state, whyNot }: { path: Path; state: Schemas["FindingHistory"]["state"]; whyNot: string }) {
  const client = useQueryClient();
  const may = useMayReview(path.tenantId, path.repositoryId);
  const ask = useDismiss();
  const back = useMutation({
    mutationFn: () => ok(api.DELETE("/api/tenants/{tenantId}/repositories/{repositoryId}/findings/{findingId}/dismissal", { params: { path } })),
    onSuccess: () => notice(texts.takenBack),
    onSettled: () => void client.invalidateQueries({ queryKey: keys.tenant(path.tenantId) }), // lists, counts and the review show it, too
  });
  if (!may) return null;
  return (
    <>
      {state === "open" && (whyNot === "" ? ask && <Button onClick={() => ask(path.findingId)}>{texts.dismiss}</Button> : <Text size="sm">{whyNot}</Text>)}
      {state === "dismissed" && (
        <Button variant="default" loading={back.isPending} onClick={() => back.mutate()}>
          {texts.takeBack}
        </Button>
      )}
      {back.isError && <Trouble error={back.error} />}
    </>
  );
}
