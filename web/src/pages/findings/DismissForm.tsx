import { Button, Group, Stack, Text, TextInput } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { api, ok } from "@/api/client";
import type { Schemas } from "@/api/queries";
import { findings as texts } from "@/texts/findings";
import { FormTrouble } from "@/ui/FormTrouble";
import { notice } from "@/ui/notice";
import { useServerForm } from "@/ui/useServerForm";
import { reopen } from "./reopen";

interface Props {
  tenantId: string;
  findingIds: string[];
  done: (results: Schemas["DismissalResults"]) => void;
}

type Reason = keyof typeof texts.reasons;

const reasons = Object.keys(texts.reasons) as Reason[];

/** Dismisses findings for one reason, and offers to undo it afterwards. Each reason has its button, so that no reason is preselected. */
export function DismissForm({ tenantId, findingIds, done }: Props) {
  const client = useQueryClient();
  const { form, submit, sending, problem, conflict } = useServerForm({
    initial: { reason: "" as Reason | "", note: "" },
    send: async ({ reason, note }) => {
      if (reason === "") throw new Error("no reason is chosen");
      return ok(api.POST("/api/tenants/{tenantId}/findings/dismissals", { params: { path: { tenantId } }, body: { findingIds, reason, ...(note.trim() === "" ? {} : { note: note.trim() }) } }));
    },
    done: (results) => {
      const now = results.items.filter((i) => i.outcome === "dismissed").map((i) => i.findingId);
      const undo = now.length === 0 ? undefined : { label: texts.undo, act: () => void reopen(client, tenantId, now) };
      if (results.dismissed > 0) notice(texts.dismissed(results.dismissed), undo);
      done(results);
    },
    saved: "",
  });
  const dismiss = (reason: Reason) => {
    if (sending) return;
    form.setFieldValue("reason", reason);
    if (reason === "other" && form.values.note.trim() === "") {
      form.setFieldError("note", texts.noteNeeded);
      form.getInputNode("note")?.focus();
      return;
    }
    submit();
  };
  return (
    <form
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        if (form.values.reason === "") form.setFieldError("reason", texts.chooseReason);
        else dismiss(form.values.reason);
      }}
    >
      <Stack>
        <Text size="sm">{texts.dismissSays}</Text>
        <FormTrouble problem={problem} conflict={conflict} />
        <TextInput label={texts.note} description={texts.noteHint} maxLength={400} autoComplete="off" {...form.getInputProps("note")} data-autofocus />
        <fieldset className="bare" aria-describedby={form.errors.reason ? "no-reason" : undefined}>
          <legend>{texts.reason}</legend>
          <Group gap="xs">
            {reasons.map((r) => (
              <Button key={r} variant="default" loading={sending && form.values.reason === r} onClick={() => dismiss(r)}>
                {texts.reasons[r]}
              </Button>
            ))}
          </Group>
          {form.errors.reason && (
            <Text id="no-reason" role="alert" size="sm" c="var(--mantine-color-error)">
              {form.errors.reason}
            </Text>
          )}
        </fieldset>
      </Stack>
    </form>
  );
}
