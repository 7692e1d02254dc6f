import { useState } from "react";
import { Anchor, Button, Group, NativeSelect, Stack, Text, Textarea, TextInput, Title } from "@mantine/core";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { api, ok } from "@/api/client";
import { keys, type Schemas } from "@/api/queries";
import { webLink } from "@/pages/run/webLink";
import { findings } from "@/texts/findings";
import { rules } from "@/texts/rules";
import { FormModal } from "@/ui/FormModal";
import { FormTrouble } from "@/ui/FormTrouble";
import { listFault } from "@/ui/lines";
import { PageLink } from "@/ui/links";
import { Outside } from "@/ui/Outside";
import { Trouble } from "@/ui/Trouble";
import { useServerForm } from "@/ui/useServerForm";
import { newRule, ruleOf } from "./form";
import { proposalsQuery } from "./place";

const texts = rules.proposed;

type Proposal = Schemas["RuleProposal"];

interface Place {
  tenantId: string;
  repositoryId: string;
}

/** Rules that were proposed from replies and wait for a decision. It shows nothing if none waits. */
export function ProposedRules({ place, mayDecide }: { place: Place; mayDecide: boolean }) {
  const client = useQueryClient();
  const [asked, setAsked] = useState<Proposal>();
  const query = useQuery(proposalsQuery(place.tenantId, place.repositoryId));
  const rows = query.data?.items ?? [];
  const done = () => {
    setAsked(undefined);
    void client.invalidateQueries({ queryKey: keys.tenant(place.tenantId) }); // the rules, the inbox and the overview show it, too
  };
  if (query.isError && query.data === undefined) return <Trouble error={query.error} again={() => void query.refetch()} />;
  if (rows.length === 0) return null;
  return (
    <section className="sheet" aria-labelledby="proposed">
      <Stack gap="sm">
        <Title order={2} id="proposed">
          {texts.title}
        </Title>
        <Text>{texts.says}</Text>
        {rows.map((r) => (
          <Stack key={r.id} gap={4} align="flex-start">
            <Text fw={600} className="wrap-anywhere">
              <Outside says={r.title} />
            </Text>
            <Text className="outside">
              <Outside says={r.instruction} />
            </Text>
            <Text size="sm">
              <Outside says={texts.from(r.proposedBy, r.number)} />
            </Text>
            <Group gap="md">
              {webLink(r.threadUrl) && (
                <Anchor size="sm" href={webLink(r.threadUrl)} rel="noreferrer">
                  {texts.thread}
                </Anchor>
              )}
              {r.findingId && (
                <PageLink size="sm" to="/t/$tenantId/repositories/$repositoryId/findings/$findingId" params={{ ...place, findingId: r.findingId }}>
                  {texts.finding}
                </PageLink>
              )}
              {mayDecide && (
                <Button size="compact-sm" variant="default" aria-label={texts.decideOn(r.title)} onClick={() => setAsked(r)}>
                  {texts.decide}
                </Button>
              )}
            </Group>
          </Stack>
        ))}
      </Stack>
      <FormModal title={texts.decide} open={asked !== undefined} close={() => setAsked(undefined)}>
        {() => asked && <Decision place={place} of={asked} done={done} />}
      </FormModal>
    </section>
  );
}

function Decision({ place, of, done }: { place: Place; of: Proposal; done: () => void }) {
  const { form, submit, sending, problem, conflict } = useServerForm({
    initial: {
      decision: "accept" as Schemas["RuleProposalDecision"]["decision"],
      rule: { ...newRule, title: of.title, instruction: of.instruction, languages: of.languages.join("\n") },
      note: "",
    },
    send: (v) => {
      const body: Schemas["RuleProposalDecision"] = { decision: v.decision, ...(v.decision === "accept" ? { rule: ruleOf(v.rule) } : {}), ...(v.note ? { note: v.note } : {}) };
      return ok(api.POST("/api/tenants/{tenantId}/repositories/{repositoryId}/rules/proposals/{proposalId}/decision", { params: { path: { ...place, proposalId: of.id } }, body }));
    },
    done,
    saved: texts.decided,
  });
  const faults = Object.fromEntries(Object.entries(form.errors).map(([at, says]) => [at.replace(/^rule\./, ""), says]));
  const list = (field: "paths" | "languages") => ({ ...form.getInputProps(`rule.${field}`), error: listFault(faults, field, rules.form.line) });
  return (
    <form onSubmit={submit} noValidate>
      <Stack>
        <FormTrouble problem={problem} conflict={conflict} />
        <NativeSelect label={texts.decision} autoComplete="off" data={Object.entries(texts.decisions).map(([value, label]) => ({ value, label }))} {...form.getInputProps("decision")} />
        {form.getValues().decision === "accept" && (
          <>
            <TextInput label={rules.form.title} maxLength={200} autoComplete="off" {...form.getInputProps("rule.title")} />
            <Textarea label={rules.form.instruction} rows={5} maxLength={4000} resize="vertical" autoComplete="off" {...form.getInputProps("rule.instruction")} />
            <Textarea label={rules.form.paths} description={rules.form.pathsHelp} rows={2} spellCheck={false} autoComplete="off" {...list("paths")} />
            <Textarea label={rules.form.languages} description={rules.form.languagesHelp} rows={2} spellCheck={false} autoComplete="off" {...list("languages")} />
            <NativeSelect label={rules.form.severity} autoComplete="off" data={Object.entries(findings.severities).map(([value, label]) => ({ value, label }))} {...form.getInputProps("rule.severity")} />
          </>
        )}
        <Textarea label={texts.note} rows={2} maxLength={2000} autoComplete="off" {...form.getInputProps("note")} />
        <Group>
          <Button type="submit" loading={sending}>
            {texts.decide}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
