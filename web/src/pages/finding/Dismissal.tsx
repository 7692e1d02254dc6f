import { useState } from "react";
import { Button, Group, Stack, Text, Textarea } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { api, ok } from "@/api/client";
import { keys, type Schemas } from "@/api/queries";
import { useMayReview } from "@/api/roles";
import { finding as texts } from "@/texts/finding";
import { FormModal } from "@/ui/FormModal";
import { FormTrouble } from "@/ui/FormTrouble";
import { notice } from "@/ui/notice";
import { Trouble } from "@/ui/Trouble";
import { useServerForm } from "@/ui/useServerForm";

interface Path {
  tenantId: string;
  repositoryId: string;
  findingId: string;
}

/** Dismisses an open finding, or takes a dismissal back; for people who may decide about reviews. */
export function Dismissal({ path, state, whyNot }: { path: Path; state: Schemas["FindingHistory"]["state"]; whyNot: string }) {
  const client = useQueryClient();
  const may = useMayReview(path.tenantId, path.repositoryId);
  const [open, setOpen] = useState(false);
  const changed = () => void client.invalidateQueries({ queryKey: keys.tenant(path.tenantId) }); // lists, counts and the review show it, too
  const back = useMutation({
    mutationFn: () => ok(api.DELETE("/api/tenants/{tenantId}/repositories/{repositoryId}/findings/{findingId}/dismissal", { params: { path } })),
    onSuccess: () => notice(texts.takenBack),
    onSettled: changed,
  });
  if (!may) return null;
  return (
    <Stack align="flex-start">
      {state === "open" && (whyNot === "" ? <Button onClick={() => setOpen(true)}>{texts.dismiss}</Button> : <Text>{whyNot}</Text>)}
      {state === "dismissed" && (
        <Button variant="default" loading={back.isPending} onClick={() => back.mutate()}>
          {texts.takeBack}
        </Button>
      )}
      {back.isError && <Trouble error={back.error} />}
      <FormModal title={texts.dismiss} open={open} close={() => setOpen(false)}>
        {() => (
          <DismissForm
            path={path}
            done={() => {
              setOpen(false);
              changed();
            }}
          />
        )}
      </FormModal>
    </Stack>
  );
}

function DismissForm({ path, done }: { path: Path; done: () => void }) {
  const { form, submit, sending, problem, conflict } = useServerForm({
    initial: { reason: "" },
    send: (body) => ok(api.PUT("/api/tenants/{tenantId}/repositories/{repositoryId}/findings/{findingId}/dismissal", { params: { path }, body })),
    done,
    saved: texts.dismissedNow,
  });
  return (
    <form onSubmit={submit} noValidate>
      <Stack>
        <Text>{texts.dismissSays}</Text>
        <FormTrouble problem={problem} conflict={conflict} />
        <Textarea label={texts.reason} required rows={3} maxLength={500} autoComplete="off" {...form.getInputProps("reason")} />
        <Group>
          <Button type="submit" loading={sending}>
            {texts.dismiss}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
