import { useState } from "react";
import { Button, Checkbox, Group, Stack, Table, Text, Textarea, Title } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { api, ok } from "@/api/client";
import { asProblem } from "@/api/problem";
import { keys, type Schemas } from "@/api/queries";
import { onboarding as texts } from "@/texts/onboarding";
import { settingName, settingValue } from "@/texts/terms";
import { confirm } from "@/ui/confirm";
import { notice } from "@/ui/notice";
import { Scroll } from "@/ui/Scroll";
import { Trouble } from "@/ui/Trouble";
import { chosenPolicy, valueAt } from "./chosen";

type Detail = Schemas["OnboardingDetail"];

interface Props {
  path: { tenantId: string; repositoryId: string };
  onboarding: Detail;
  listKey: readonly unknown[];
}

const said = { accept: texts.accepted, decline: texts.declined, retry: texts.retried };

/** The decision about a new repository, with the suggested settings that are taken. */
export function Deciding({ path, onboarding: o, listKey }: Props) {
  const client = useQueryClient();
  const suggestions = o.proposal?.suggestions ?? [];
  const [taken, setTaken] = useState<readonly string[]>(suggestions.map((s) => s.setting));
  const [note, setNote] = useState("");
  const act = useMutation({
    mutationFn: (does: keyof typeof said) => {
      const params = { path };
      const why = note.trim() === "" ? {} : { note: note.trim() };
      if (does === "retry") return ok(api.POST("/api/tenants/{tenantId}/repositories/{repositoryId}/onboarding/retry", { params }));
      if (does === "decline") return ok(api.POST("/api/tenants/{tenantId}/repositories/{repositoryId}/onboarding/decline", { params, body: why }));
      const policy = chosenPolicy(suggestions, taken);
      return ok(api.POST("/api/tenants/{tenantId}/repositories/{repositoryId}/onboarding/accept", { params, body: { ...why, ...(policy ? { policy } : {}) } }));
    },
    onSuccess: (now, does) => {
      notice(said[does]);
      client.setQueryData(listKey, now);
      for (const part of ["onboardings", "inbox", "repositories", "dashboard"]) void client.invalidateQueries({ queryKey: keys.tenant(path.tenantId, part) });
    },
    onError: (error) => {
      if (asProblem(error).status === 409) void client.invalidateQueries({ queryKey: listKey });
    },
  });
  return (
    <section className="sheet" aria-labelledby="decide">
      <Stack gap="sm">
        <Title order={2} id="decide">
          {texts.decide}
        </Title>
        <Text>{texts.decideSays}</Text>
        {o.proposal && (suggestions.length === 0 ? <Text>{texts.noSuggestions}</Text> : <Suggestions of={o} taken={taken} take={setTaken} />)}
        <Textarea label={texts.noteField} description={texts.noteSays} rows={2} maxLength={2000} autoComplete="off" value={note} onChange={(e) => setNote(e.currentTarget.value)} />
        {act.isError && <Trouble error={act.error} />}
        <Group>
          <Button loading={act.isPending && act.variables === "accept"} onClick={() => act.mutate("accept")}>
            {texts.accept}
          </Button>
          <Button variant="default" loading={act.isPending && act.variables === "decline"} onClick={() => confirm({ title: texts.declineTitle, says: texts.declineSays, does: texts.decline, then: () => act.mutate("decline") })}>
            {texts.decline}
          </Button>
          {o.state === "failed" && (
            <Button variant="default" loading={act.isPending && act.variables === "retry"} onClick={() => act.mutate("retry")}>
              {texts.retry}
            </Button>
          )}
          {taken.length > 0 && <Text size="sm">{texts.acceptWith(taken.length)}</Text>}
        </Group>
      </Stack>
    </section>
  );
}

function Suggestions({ of: o, taken, take }: { of: Detail; taken: readonly string[]; take: (settings: readonly string[]) => void }) {
  return (
    <Scroll label={texts.suggestions} width={520}>
      <Table>
        <Table.Thead>
          <Table.Tr>
            <Table.Th scope="col">{texts.suggestion}</Table.Th>
            <Table.Th scope="col">{texts.setting}</Table.Th>
            <Table.Th scope="col">{texts.suggested}</Table.Th>
            <Table.Th scope="col">{texts.now}</Table.Th>
            <Table.Th scope="col">{texts.reason}</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {(o.proposal?.suggestions ?? []).map((s) => (
            <Table.Tr key={s.setting}>
              <Table.Td>
                <Checkbox
                  name="take"
                  value={s.setting}
                  label={texts.take}
                  aria-label={texts.takeOf(settingName(s.setting))}
                  checked={taken.includes(s.setting)}
                  onChange={(e) => take(e.currentTarget.checked ? [...taken, s.setting] : taken.filter((t) => t !== s.setting))}
                />
              </Table.Td>
              <Table.Th scope="row">
                {settingName(s.setting)}
              </Table.Th>
              <Table.Td>{settingValue(s.setting, valueAt(s.policy, s.setting))}</Table.Td>
              <Table.Td>{settingValue(s.setting, o.settings.find((v) => v.name === s.setting)?.value)}</Table.Td>
              <Table.Td>{s.reason}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Scroll>
  );
}
