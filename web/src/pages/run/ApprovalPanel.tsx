import { Button, Checkbox, Code, Group, Paper, Stack, Text, Textarea, TextInput, Title } from "@mantine/core";
import { useId, useState } from "react";
import type { Problem } from "@/api/problem";
import { approval as texts } from "@/texts/approval";
import { confirm } from "@/ui/confirm";
import { Time } from "@/ui/Time";
import { Trouble } from "@/ui/Trouble";
import { useUnsaved } from "@/ui/useUnsaved";
import { approves, bounds, type DecisionForm, edited, emptyForm, type Fault, faults, rejects, reword, takeBack, toggleDrop } from "./decision";
import { ReviewTextView } from "./ReviewTextView";
import { SeverityMark } from "./SeverityMark";
import type { Decision, Finding, RunApproval } from "./types";

interface Props {
  approval: RunApproval;
  /** Sends the decision. An error comes back in refused. */
  decide: (to: "approve" | "reject", decision: Decision) => void;
  /** It is being sent. */
  busy: boolean;
  /** The service's error for the last decision. */
  refused: Problem | undefined;
}

/** The review that waits for a person, with the form for people who may decide, or the decision afterwards. */
export function ApprovalPanel(props: Props) {
  const { approval: a } = props;
  const heading = useId();
  return (
    <Paper component="section" withBorder p="md" aria-labelledby={heading}>
      <Stack>
        <Title order={2} size="h4" id={heading}>
          {texts.heading}
        </Title>
        {a.told === "" ? <Waits approval={a} /> : <Told approval={a} />}
        <Text size="sm" className="wrap-anywhere">
          {texts.digest} <Code>{a.digest}</Code>
        </Text>
        {props.refused && <Refused problem={props.refused} />}
        {a.mayDecide && <Form key={a.digest} {...props} />}
        {a.whyNot !== "" && <Text>{a.whyNot}</Text>}
        <details open={a.told === ""}>
          <summary>{a.told === "" ? texts.text : texts.shown}</summary>
          <ReviewTextView review={a.review} />
        </details>
        {a.decision?.published && (
          <details>
            <summary>{texts.published}</summary>
            <Text size="sm" className="wrap-anywhere">
              {texts.digest} <Code>{a.decision.published.digest}</Code>
            </Text>
            <ReviewTextView review={a.decision.published.review} />
          </details>
        )}
      </Stack>
    </Paper>
  );
}

/** A decision that was refused: another person was faster, another review waits, or the request was invalid. */
function Refused({ problem }: { problem: Problem }) {
  if (problem.status !== 409) return <Trouble error={problem} />;
  return (
    <div className="note bad" role="alert">
      <Text fw={650}>{problem.code === "approval_digest" ? texts.other : texts.lost}</Text>
      <Text>{problem.message}</Text>
    </div>
  );
}

function Waits({ approval: a }: { approval: RunApproval }) {
  return (
    <>
      <Text role="status">{texts.waits}</Text>
      <Text size="sm">
        {texts.since} <Time at={a.createdAt} />. {texts.until} <Time at={a.expiresAt} />.
      </Text>
    </>
  );
}

function Told({ approval: a }: { approval: RunApproval }) {
  const d = a.decision;
  return (
    <>
      <Text role="status" className="outside">
        {a.told}
      </Text>
      {d && d.note !== "" && d.how !== "service" && (
        <Text className="outside">
          <b>{texts.noteWas}:</b> {d.note}
        </Text>
      )}
      {d && d.drop.length > 0 && <Text>{texts.leftOut(d.drop.length)}</Text>}
      {d && d.edit.length > 0 && <Text>{texts.reworded(d.edit.length)}</Text>}
    </>
  );
}

function Form({ approval: a, decide, busy }: Props) {
  const [form, setForm] = useState<DecisionForm>(emptyForm);
  useUnsaved(() => form.note.trim() !== "" || form.drop.length > 0 || edited(form, a.findings).length > 0);
  const wrong = faults(form, a.findings);
  const changes = texts.approveWith(form.drop.length, edited(form, a.findings).length);
  return (
    <form
      onSubmit={(e) => {
        e.preventDefault();
        if (wrong.length === 0) decide("approve", approves(a, form));
      }}
    >
      <Stack>
        {a.changeable && a.findings.length > 0 ? (
          <fieldset className="bare">
            <legend>{texts.changes}</legend>
            <Stack gap="sm">
              {a.findings.map((f) => (
                <FindingChange key={f.id} finding={f} form={form} change={setForm} wrong={wrong.filter((w) => w.of === f.id)} />
              ))}
            </Stack>
          </fieldset>
        ) : (
          <Text size="sm">{texts.asIs}</Text>
        )}
        <Textarea
          label={texts.note}
          description={texts.noteHelp}
          rows={3}
          maxLength={bounds.note}
          autoComplete="off"
          value={form.note}
          onChange={(e) => setForm({ ...form, note: e.currentTarget.value })}
        />
        <Group>
          <Button type="submit" loading={busy} disabled={wrong.length > 0}>
            {texts.approve}
          </Button>
          <Button variant="default" disabled={busy} onClick={() => confirm({ title: texts.rejectTitle, says: texts.rejectSure, does: texts.reject, then: () => decide("reject", rejects(a, form)) })}>
            {texts.reject}
          </Button>
          {changes !== "" && <Text size="sm">{changes}</Text>}
        </Group>
      </Stack>
    </form>
  );
}

interface ChangeProps {
  finding: Finding;
  form: DecisionForm;
  change: (form: DecisionForm) => void;
  wrong: readonly Fault[];
}

/** One finding of the review: kept, left out, or with other words. */
function FindingChange({ finding: f, form, change, wrong }: ChangeProps) {
  const out = form.drop.includes(f.id);
  const words = form.edit[f.id];
  const says = (field: Fault["field"], label: string) => {
    const fault = wrong.find((w) => w.field === field);
    return fault ? (fault.kind === "empty" ? texts.empty(label) : texts.long(fault.most)) : undefined;
  };
  return (
    <Paper withBorder p="xs">
      <Stack gap="xs">
        <Group gap="xs" wrap="nowrap" align="flex-start">
          <SeverityMark severity={f.severity} />
          <Text className="wrap-anywhere" td={out ? "line-through" : ""}>
            <bdi>{words?.title ?? f.title}</bdi>
          </Text>
        </Group>
        <Group>
          <Checkbox label={texts.drop} aria-label={texts.leaveOut(f.title)} name="drop" value={f.id} checked={out} onChange={() => change(toggleDrop(form, f.id))} />
          {!out && !words && (
            <Button size="compact-sm" variant="default" aria-label={texts.editOf(f.title)} onClick={() => change(reword(form, f, {}))}>
              {texts.edit}
            </Button>
          )}
        </Group>
        {!out && words && (
          <Stack gap="xs">
            <TextInput label={texts.titleField} autoComplete="off" value={words.title} error={says("title", texts.titleField)} onChange={(e) => change(reword(form, f, { title: e.currentTarget.value }))} />
            <Textarea
              label={texts.explanationField}
          rows={6}
              autoComplete="off"
              value={words.explanation}
              error={says("explanation", texts.explanationField)}
              onChange={(e) => change(reword(form, f, { explanation: e.currentTarget.value }))}
            />
            <Group>
              <Button size="compact-sm" variant="default" onClick={() => change(takeBack(form, f.id))}>
                {texts.keep}
              </Button>
            </Group>
          </Stack>
        )}
      </Stack>
    </Paper>
  );
}
