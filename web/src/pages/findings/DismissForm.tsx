import { Button, Group, NativeSelect, Stack, Text, TextInput } from "@mantine/core";
import { api, ok } from "@/api/client";
import type { Schemas } from "@/api/queries";
import { findings as texts } from "@/texts/findings";
import { FormTrouble } from "@/ui/FormTrouble";
import { useServerForm } from "@/ui/useServerForm";

interface Props {
  tenantId: string;
  findingIds: string[];
  done: (results: Schemas["DismissalResults"]) => void;
}

/** Dismisses findings for one reason. */
export function DismissForm({ tenantId, findingIds, done }: Props) {
  const { form, submit, sending, problem, conflict } = useServerForm({
    initial: { reason: "wrong" as keyof typeof texts.reasons, note: "" },
    send: ({ reason, note }) => ok(api.POST("/api/tenants/{tenantId}/findings/dismissals", { params: { path: { tenantId } }, body: { findingIds, reason, ...(note.trim() === "" ? {} : { note: note.trim() }) } })),
    done,
    saved: (r) => (r.dismissed === 0 ? "" : texts.dismissed(r.dismissed)),
  });
  return (
    <form onSubmit={submit} noValidate>
      <Stack>
        <Text>{texts.dismissSays}</Text>
        <FormTrouble problem={problem} conflict={conflict} />
        <NativeSelect label={texts.reason} autoComplete="off" data={Object.entries(texts.reasons).map(([value, label]) => ({ value, label }))} {...form.getInputProps("reason")} data-autofocus />
        <TextInput label={texts.note} description={texts.noteHint} maxLength={400} autoComplete="off" {...form.getInputProps("note")} />
        <Group>
          <Button type="submit" loading={sending}>
            {texts.dismiss(findingIds.length)}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
