import { Button, Group, NativeSelect, Stack, Text, TextInput } from "@mantine/core";
import { api, ok } from "@/api/client";
import { members as texts } from "@/texts/members";
import { FormTrouble } from "@/ui/FormTrouble";
import { useServerForm } from "@/ui/useServerForm";
import type { Member } from "./acts";

/** Gives a person a role by hand. */
export function AddMember({ tenantId, done }: { tenantId: string; done: () => void }) {
  const { form, submit, sending, problem, conflict } = useServerForm({
    initial: { userId: "", role: "member" as Member["role"] },
    send: ({ userId, role }) => ok(api.PUT("/api/tenants/{tenantId}/members/{userId}", { params: { path: { tenantId, userId: userId.trim() } }, body: { role } })),
    done,
    saved: texts.added,
  });
  return (
    <form onSubmit={submit}>
      <Stack>
        <FormTrouble problem={problem} conflict={conflict} />
        <Text size="sm">{texts.addSays}</Text>
        <TextInput label={texts.id} required maxLength={100} autoComplete="off" {...form.getInputProps("userId")} />
        <NativeSelect label={texts.role} autoComplete="off" data={Object.entries(texts.roles).map(([value, label]) => ({ value, label }))} {...form.getInputProps("role")} />
        <Group>
          <Button type="submit" loading={sending}>
            {texts.add}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
