import { Button, Group, Stack, Text, Textarea, TextInput } from "@mantine/core";
import { queryOptions, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { api, ok } from "@/api/client";
import { ifMatch } from "@/api/models";
import type { Schemas } from "@/api/queries";
import { text } from "@/texts";
import { signOff as texts } from "@/texts/declarations";
import { confirm } from "@/ui/confirm";
import { Facts } from "@/ui/Facts";
import { FormTrouble } from "@/ui/FormTrouble";
import { entriesOf } from "@/ui/lines";
import { Loaded } from "@/ui/Loaded";
import { notice } from "@/ui/notice";
import { Page } from "@/ui/Page";
import { StateMark } from "@/ui/StateMark";
import { Time } from "@/ui/Time";
import { Trouble } from "@/ui/Trouble";
import { useServerForm } from "@/ui/useServerForm";

type SignOff = Schemas["LegalSignOff"];

const stored = queryOptions({ queryKey: ["instance", "sign-off"], queryFn: ({ signal }) => ok(api.GET("/api/instance/assignment/legal-sign-off", { signal })) });

/** The agreement about the use of personal data, and the form for recording it. */
export function SignOffPage() {
  const query = useQuery(stored);
  return (
    <Page title={text.frame.signOff}>
      <Text>{texts.says}</Text>
      <Loaded query={query}>{(s) => <Agreed key={s.version} signOff={s} />}</Loaded>
    </Page>
  );
}

function Agreed({ signOff: s }: { signOff: SignOff }) {
  const client = useQueryClient();
  const changed = () => client.invalidateQueries({ queryKey: stored.queryKey });
  const withdraw = useMutation({
    mutationFn: () => ok(api.PUT("/api/instance/assignment/legal-sign-off", { params: { header: ifMatch(s) }, body: { signedOff: false } })),
    onSuccess: () => notice(texts.withdrawn),
    onSettled: changed,
  });
  const { form, submit, sending, problem, conflict } = useServerForm({
    initial: { documentReference: s.documentReference ?? "", statement: s.statement ?? "", dataUses: s.dataUses.join("\n") },
    send: (v) =>
      ok(
        api.PUT("/api/instance/assignment/legal-sign-off", {
          params: { header: ifMatch(s) },
          body: { signedOff: true, documentReference: v.documentReference, dataUses: entriesOf(v.dataUses), ...(v.statement.trim() === "" ? {} : { statement: v.statement }) },
        }),
      ),
    done: () => void changed(),
    saved: texts.signed,
  });
  const uses = Object.entries(form.errors).find(([name]) => name.startsWith("dataUses"))?.[1];
  return (
    <Stack>
      <StateMark tone={s.signedOff ? "good" : "quiet"}>{s.signedOff ? texts.is : texts.isNot}</StateMark>
      <Facts
        of={[
          [texts.by, s.by && <bdi key="by">{s.by}</bdi>],
          [texts.at, s.at && <Time key="at" at={s.at} />],
        ]}
      />
      <form onSubmit={submit} noValidate>
        <Stack>
          <FormTrouble problem={problem} conflict={conflict} reload={() => void changed()} />
          <TextInput label={texts.reference} required maxLength={500} autoComplete="off" {...form.getInputProps("documentReference")} />
          <Textarea label={texts.uses} description={texts.usesSays} required rows={3} autoComplete="off" {...form.getInputProps("dataUses")} error={uses} />
          <Textarea label={texts.statement} rows={4} maxLength={4000} autoComplete="off" {...form.getInputProps("statement")} />
          {withdraw.isError && <Trouble error={withdraw.error} />}
          <Group>
            <Button type="submit" loading={sending}>
              {s.signedOff ? texts.again : texts.sign}
            </Button>
            {s.signedOff && (
              <Button variant="default" loading={withdraw.isPending} onClick={() => confirm({ title: texts.withdrawTitle, says: texts.withdrawSays, does: texts.withdraw, then: () => withdraw.mutate() })}>
                {texts.withdraw}
              </Button>
            )}
          </Group>
        </Stack>
      </form>
    </Stack>
  );
}
