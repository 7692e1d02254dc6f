import { useEffect, useRef, useState } from "react";
import { Button, Checkbox, Group, NativeSelect, Paper, Stack, Textarea, TextInput, Title } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { asProblem } from "@/api/problem";
import { text } from "@/texts";
import { findings } from "@/texts/findings";
import { rules } from "@/texts/rules";
import { settings } from "@/texts/settings";
import { Meeting } from "@/pages/settings/Meeting";
import { WhatIfView } from "@/pages/settings/WhatIfView";
import { FormTrouble } from "@/ui/FormTrouble";
import { listFault } from "@/ui/lines";
import { Trouble } from "@/ui/Trouble";
import { useServerForm } from "@/ui/useServerForm";
import { useUnsaved } from "@/ui/useUnsaved";
import { changeOf, fieldText, formOf, meetRule, newRule, type RuleForm, ruleOf } from "./form";
import { allRulesQuery, createRule, ruleWhatIf, updateRule, type Place, type Rule } from "./place";
import { MatcherFields } from "./MatcherFields";
import { Preview } from "./Preview";

const texts = rules.form;

interface Props {
  place: Place;
  /** The rule that is changed; undefined for a new one. */
  rule: Rule | undefined;
  done: () => void;
  close: () => void;
}

/** Makes or changes a rule, with a preview of its scope beside it. */
export function RuleEditor({ place, rule, done, close }: Props) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => heading.current?.focus(), []);
  const client = useQueryClient();
  const [base, setBase] = useState(rule); // the base of the changes: the stored rule, or another person's newer version
  const [met, setMet] = useState<ReturnType<typeof meetRule>>();
  const change = async (stored: Rule, values: RuleForm) => {
    try {
      const saved = await updateRule(place, stored, changeOf(values));
      setMet(undefined);
      return saved;
    } catch (error) {
      if (asProblem(error).status === 412) {
        const newest = (await client.fetchQuery({ ...allRulesQuery(place), staleTime: 0 })).find((r) => r.id === stored.id);
        if (newest) {
          const meeting = meetRule(formOf(stored), formOf(newest), values);
          form.setValues(meeting.draft);
          setBase(newest);
          setMet(meeting);
        }
      }
      throw error;
    }
  };
  const { form, submit, sending, problem, conflict } = useServerForm({
    initial: rule ? formOf(rule) : newRule,
    send: (values) => (base ? change(base, values) : createRule(place, ruleOf(values))),
    done,
    ...(rule ? {} : { saved: texts.made }),
  });
  useUnsaved(() => form.isDirty(), "edit");
  const asked = useMutation({ mutationFn: () => ruleWhatIf(place, rule!.id, changeOf(form.values)) });
  const list = (field: "paths" | "languages") => ({ ...form.getInputProps(field), error: listFault(form.errors, field, texts.line) });
  return (
    <Paper withBorder p="md" component="section" aria-label={rule ? texts.edit : texts.new}>
      <Title order={2} ref={heading} tabIndex={-1} mb="sm">
        {rule ? texts.edit : texts.new}
      </Title>
      <div className="beside">
        <form onSubmit={submit}>
          <Stack>
            {met ? (
              <Meeting
                title={texts.met}
                rows={met.theirs.map((c) => ({ key: c.name, name: texts[c.name], before: fieldText(c.name, c.before), after: fieldText(c.name, c.after) }))}
                both={met.both.map((name) => ({ key: name, name: texts[name], take: () => form.setValues({ [name]: met.theirs.find((c) => c.name === name)?.after }) }))}
                seen={() => setMet(undefined)}
              />
            ) : (
              <FormTrouble problem={problem} conflict={conflict} reload={done} />
            )}
            {met && !conflict && <FormTrouble problem={problem} conflict={false} />}
            <TextInput label={texts.title} description={texts.titleHelp} maxLength={200} autoComplete="off" {...form.getInputProps("title")} />
            <Textarea label={texts.instruction} description={texts.instructionHelp} rows={6} maxLength={4000} resize="vertical" autoComplete="off" {...form.getInputProps("instruction")} />
            <MatcherFields form={form} />
            <Textarea label={texts.paths} description={texts.pathsHelp} rows={3} resize="vertical" spellCheck={false} autoComplete="off" {...list("paths")} />
            <Textarea label={texts.languages} description={texts.languagesHelp} rows={2} resize="vertical" spellCheck={false} autoComplete="off" {...list("languages")} />
            <NativeSelect label={texts.severity} autoComplete="off" data={Object.entries(findings.severities).map(([value, label]) => ({ value, label }))} {...form.getInputProps("severity")} />
            <Checkbox label={texts.enabled} {...form.getInputProps("enabled", { type: "checkbox" })} />
            <Checkbox label={texts.mandatory} {...form.getInputProps("mandatory", { type: "checkbox" })} />
            <Group>
              <Button type="submit" loading={sending}>
                {rule ? text.form.save : texts.make}
              </Button>
              <Button variant="default" onClick={close}>
                {texts.cancel}
              </Button>
              {rule && (
                <Button variant="default" loading={asked.isPending} onClick={() => asked.mutate()}>
                  {settings.whatIf.ask}
                </Button>
              )}
            </Group>
            {asked.isError && <Trouble error={asked.error} />}
            {asked.data && <WhatIfView of={asked.data} tenantId={place.tenantId} nameOf={rules.preview.setting} />}
          </Stack>
        </form>
        <Preview place={place} rule={rule} values={form.values} />
      </div>
    </Paper>
  );
}
