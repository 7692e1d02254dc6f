import { ActionIcon, Button, Group, NativeSelect, NumberInput, Stack, Switch, Text, Textarea, TextInput, Title } from "@mantine/core";
import { IconX } from "@tabler/icons-react";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { api, ok } from "@/api/client";
import { keys, type Schemas } from "@/api/queries";
import { text } from "@/texts";
import { reviewing as texts } from "@/texts/reviewing";
import { FormTrouble } from "@/ui/FormTrouble";
import { Loaded } from "@/ui/Loaded";
import { useServerForm } from "@/ui/useServerForm";
import { useUnsaved } from "@/ui/useUnsaved";
import { Away } from "./Away";
import { bodyOf, valuesOf } from "./assignment";

type Settings = Schemas["MyAssignmentSettings"];
type Day = keyof typeof texts.days;

const mostHours = 28;

/** The person's preferences about review requests, and whether they have an effect. */
export function Reviewing({ tenantId }: { tenantId: string }) {
  const client = useQueryClient();
  const path = { tenantId };
  const key = keys.tenant(tenantId, "my-assignment");
  const query = useQuery({ queryKey: key, queryFn: ({ signal }) => ok(api.GET("/api/me/tenants/{tenantId}/assignment", { params: { path }, signal })) });
  const uses = useQuery({ queryKey: keys.tenant(tenantId, "assignment-transparency"), queryFn: ({ signal }) => ok(api.GET("/api/tenants/{tenantId}/assignment/transparency", { params: { path }, signal })) });
  const fresh = () => client.invalidateQueries({ queryKey: key });
  return (
    <Stack>
      {uses.data && <Effect of={uses.data} />}
      <Loaded query={query} lines={6}>
        {(settings) => <Form key={settings.version} tenantId={tenantId} settings={settings} fresh={fresh} />}
      </Loaded>
      <Title order={3} size="h4">
        {texts.away.title}
      </Title>
      <Text size="sm">{texts.away.says}</Text>
      <Away tenantId={tenantId} />
    </Stack>
  );
}

function Effect({ of: { suggests, mode, mine } }: { of: Schemas["AssignmentTransparency"] }) {
  const says = !suggests ? texts.notYet : mode === "off" ? texts.off : mine.excluded ? texts.excluded : "";
  return says === "" ? null : <Text className="note">{says}</Text>;
}

function Form({ tenantId, settings, fresh }: { tenantId: string; settings: Settings; fresh: () => Promise<void> }) {
  const { form, submit, sending, problem, conflict } = useServerForm({
    initial: valuesOf(settings, Intl.DateTimeFormat().resolvedOptions().timeZone),
    send: (values) => ok(api.PUT("/api/me/tenants/{tenantId}/assignment", { params: { path: { tenantId }, header: { "If-Match": `"v${settings.version}"` } }, body: bodyOf(values) })),
    done: () => void fresh(),
  });
  useUnsaved(() => form.isDirty());
  const { workingHours } = form.values;
  const lines = (field: "wantedPaths" | "unwantedPaths", label: string) => {
    const wrong = Object.entries(form.errors).find(([at]) => at.split(".")[0] === field)?.[1]; // of one line of them
    return <Textarea label={label} description={texts.pathsSays} rows={3} spellCheck={false} autoComplete="off" {...form.getInputProps(field)} error={wrong} />;
  };
  return (
    <form onSubmit={submit}>
      <Stack>
        <FormTrouble problem={problem} conflict={conflict} reload={() => void fresh()} />
        <Switch label={texts.optOut} {...form.getInputProps("optOut", { type: "checkbox" })} />
        <Group align="flex-start">
          <NumberInput label={texts.most} description={texts.mostSays} min={1} max={100} allowDecimal={false} hideControls autoComplete="off" {...form.getInputProps("maxOpenReviews")} />
          <TextInput label={texts.zone} description={texts.zoneSays} maxLength={64} autoComplete="off" {...form.getInputProps("timeZone")} />
        </Group>
        <Stack gap="xs" role="group" aria-label={texts.hours} align="flex-start">
          <Text fw={600} size="sm">
            {texts.hours}
          </Text>
          {workingHours.length === 0 && <Text size="sm">{texts.anyHour}</Text>}
          {workingHours.map((h, i) => {
            const day = texts.days[h.day];
            return (
              <Group key={i} gap="xs" align="flex-end" role="group" aria-label={texts.line(i + 1)}>
                <NativeSelect label={texts.day} autoComplete="off" data={Object.entries(texts.days).map(([value, label]) => ({ value, label }))} {...form.getInputProps(`workingHours.${i}.day`)} error={form.errors[`workingHours.${i}`]} />
                <TextInput type="time" label={texts.from} autoComplete="off" {...form.getInputProps(`workingHours.${i}.from`)} />
                <TextInput type="time" label={texts.to} autoComplete="off" {...form.getInputProps(`workingHours.${i}.to`)} />
                <ActionIcon variant="default" size="lg" aria-label={texts.dropHours(day, i + 1)} onClick={() => form.removeListItem("workingHours", i)}>
                  <IconX size={16} aria-hidden />
                </ActionIcon>
              </Group>
            );
          })}
          <Button size="xs" variant="default" disabled={workingHours.length >= mostHours} onClick={() => form.insertListItem("workingHours", { day: next(workingHours.at(-1)?.day), from: "09:00", to: "17:00" })}>
            {texts.addHours}
          </Button>
        </Stack>
        {lines("wantedPaths", texts.wanted)}
        {lines("unwantedPaths", texts.unwanted)}
        <Group>
          <Button type="submit" loading={sending}>
            {text.form.save}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

/** The day after another one; Monday without one. */
function next(day: Day | undefined): Day {
  const days = Object.keys(texts.days) as Day[];
  return days[day === undefined ? 0 : (days.indexOf(day) + 1) % days.length] ?? "monday";
}
