import { Button, Group, NativeSelect, NumberInput, Stack, Text, TextInput } from "@mantine/core";
import { useNavigate } from "@tanstack/react-router";
import { useQueryClient } from "@tanstack/react-query";
import { api, ok } from "@/api/client";
import { keys } from "@/api/queries";
import { dryRun as texts } from "@/texts/dryrun";
import { FormTrouble } from "@/ui/FormTrouble";
import { useServerForm } from "@/ui/useServerForm";
import { createBody, nothingEntered, numbersOf } from "./entered";

/** Begins a dry run of pull requests of a repository, under the settings that hold, and leads to it. */
export function BeginForm({ tenantId, repositoryId }: { tenantId: string; repositoryId: string }) {
  const navigate = useNavigate();
  const client = useQueryClient();
  const { form, submit, sending, problem } = useServerForm({
    initial: nothingEntered,
    send: (v) => ok(api.POST("/api/tenants/{tenantId}/repositories/{repositoryId}/dry-runs", { params: { path: { tenantId, repositoryId } }, body: createBody(v) })),
    saved: texts.begun,
    done: (made) => {
      void client.invalidateQueries({ queryKey: keys.tenant(tenantId, "dry-runs", repositoryId) });
      void navigate({ to: "/t/$tenantId/repositories/$repositoryId/dry-runs/$dryRunId", params: { tenantId, repositoryId, dryRunId: made.id } });
    },
  });
  const { which, pullRequests } = form.getValues();
  const of = (field: string) => Object.entries(form.errors).find(([name]) => name === field || name.startsWith(`${field}.`))?.[1];
  const begin = (event: React.FormEvent<HTMLFormElement>) => {
    if (which === "numbers" && numbersOf(pullRequests) === undefined) {
      event.preventDefault();
      form.setFieldError("pullRequests", texts.notNumbers);
      form.getInputNode("pullRequests")?.focus();
      return;
    }
    submit(event);
  };
  return (
    <form onSubmit={begin} noValidate>
      <Stack>
        <Text>{texts.beginSays}</Text>
        <FormTrouble problem={problem} conflict={false} />
        <NativeSelect label={texts.which} autoComplete="off" data={Object.entries(texts.whichOf).map(([value, label]) => ({ value, label }))} {...form.getInputProps("which")} />
        {which === "last" ? (
          <NumberInput label={texts.last} description={texts.lastSays} min={1} max={50} allowDecimal={false} required autoComplete="off" {...form.getInputProps("last")} />
        ) : (
          <TextInput label={texts.numbers} description={texts.numbersSays} required inputMode="numeric" autoComplete="off" {...form.getInputProps("pullRequests")} error={of("pullRequests")} />
        )}
        <TextInput label={texts.label} description={texts.labelSays} maxLength={100} autoComplete="off" {...form.getInputProps("label")} />
        <Group>
          <Button type="submit" loading={sending}>
            {texts.start}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
