import { Button, Checkbox, Code, Group, Paper, Stack, Text, Textarea, TextInput, Title } from "@mantine/core";
import { useId, useState } from "react";
import type { Problem } from "@/api/problem";
import { approval as texts, reviewText } from "@/texts/approval";
import { Outside } from "@/ui/Outside";
import { confirm } from "@/ui/confirm";
import { Prose } from "@/ui/Prose";
import { Time } from "@/ui/Time";
import { Trouble } from "@/ui/Trouble";
import { useUnsaved } from "@/ui/useUnsaved";
import { approves, bounds, commentsOf, type DecisionForm, edited, emptyForm, type Fault, faults, rejects, reword, takeBack, toggleDrop } from "./decision";
import { place } from "./grouping";
import { commentPlace, RestOfReview, ReviewPart, ReviewTextView, useRaw } from "./ReviewTextView";
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

/** The page of an approval: the text as readers will see it, each finding with its changes, and one bar to decide. Afterwards the decision. */
export function ApprovalPanel(props: Props) {
  const { approval: a } = props;
  const heading = useId();
  const waits = a.told === "";
  return (
    <Stack component="section" aria-labelledby={heading}>
      <Title order={2} size="h4" id={heading}>
        {texts.heading}
      </Title>
      {waits ? <Waits approval={a} /> : <Told approval={a} />}
      <Text size="sm" className="wrap-anywhere">
        {texts.digest} <Code>{a.digest}</Code>
      </Text>
      {props.refused && <Refused problem={props.refused} />}
      {a.whyNot !== "" && <Text>{a.whyNot}</Text>}
      {waits ? (
        <Form key={a.digest} {...props} />
      ) : (
        <details>
          <summary>{texts.shown}</summary>
          <ReviewTextView review={a.review} />
        </details>
      )}
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
  const [raw, choice] = useRaw();
  const wrong = faults(form, a.findings);
  const changes = texts.approveWith(form.drop.length, edited(form, a.findings).length);
  const { of, rest } = commentsOf(a);
  return (
    <form
      onSubmit={(e) => {
        e.preventDefault();
        if (a.mayDecide && wrong.length === 0) decide("approve", approves(a, form));
      }}
    >
      <Stack>
        <Group justify="space-between">
          <Text fw={650}>{texts.text}</Text>
          {choice}
        </Group>
        <ReviewPart says={a.review.body} label={reviewText.body[a.review.kind]} raw={raw} />
        {a.findings.map((f) => (
          <FindingChange key={f.id} finding={f} comment={of.get(f.id) ?? ""} raw={raw} changeable={a.mayDecide && a.changeable} form={form} change={setForm} wrong={wrong.filter((w) => w.of === f.id)} />
        ))}
        {rest.map((c, i) => (
          <div key={i} className="sheet">
            <Code className="wrap-anywhere">
              <Outside says={commentPlace(c)} />
            </Code>
            <ReviewPart says={c.body} label={reviewText.comment(commentPlace(c))} raw={raw} />
          </div>
        ))}
        <RestOfReview review={a.review} raw={raw} />
        {a.mayDecide && (
          <>
            {!a.changeable && <Text size="sm">{texts.asIs}</Text>}
            <Textarea label={texts.note} description={texts.noteHelp} rows={2} maxLength={bounds.note} autoComplete="off" value={form.note} onChange={(e) => setForm({ ...form, note: e.currentTarget.value })} />
          </>
        )}
      </Stack>
      {a.mayDecide && (
        <Group className="decision-bar" role="group" aria-label={texts.bar} mt="md">
          <Button type="submit" loading={busy} disabled={wrong.length > 0}>
            {texts.approve}
          </Button>
          <Button variant="default" disabled={busy} onClick={() => confirm({ title: texts.rejectTitle, says: texts.rejectSure, does: texts.reject, then: () => decide("reject", rejects(a, form)) })}>
            {texts.reject}
          </Button>
          <Text size="sm" role="status">
            {wrong.length > 0 ? texts.cannot : changes}
          </Text>
        </Group>
      )}
    </form>
  );
}

interface ChangeProps {
  finding: Finding;
  /** Its comment as it would be published; "" for a finding that stands in the text of the review. */
  comment: string;
  raw: boolean;
  changeable: boolean;
  form: DecisionForm;
  change: (form: DecisionForm) => void;
  wrong: readonly Fault[];
}

/** One finding of the review as readers will see it: kept, excluded, or in other words. */
function FindingChange({ finding: f, comment, raw, changeable, form, change, wrong }: ChangeProps) {
  const out = form.drop.includes(f.id);
  const words = form.edit[f.id];
  const says = (field: Fault["field"], label: string) => {
    const fault = wrong.find((w) => w.field === field);
    return fault ? (fault.kind === "empty" ? texts.empty(label) : texts.long(fault.most)) : undefined;
  };
  return (
    <Paper component="article" withBorder p="sm" data-finding={f.id}>
      <Stack gap="xs">
        <Group gap="xs" align="flex-start">
          <SeverityMark severity={f.severity} />
          <Title order={3} size="h5" className="wrap-anywhere finding-title" td={out ? "line-through" : ""}>
            <Outside says={words?.title ?? f.title} />
          </Title>
          {changeable && <Checkbox label={texts.drop} aria-label={texts.leaveOut(f.title)} name="drop" value={f.id} checked={out} onChange={() => change(toggleDrop(form, f.id))} />}
          {changeable && !out && !words && (
            <Button size="compact-sm" variant="default" aria-label={texts.editOf(f.title)} onClick={() => change(reword(form, f, {}))}>
              {texts.edit}
            </Button>
          )}
        </Group>
        {f.path !== "" && (
          <div>
            <Code className="wrap-anywhere">
              <Outside says={place(f)} />
            </Code>
          </div>
        )}
        {out ? (
          <Text size="sm">{texts.isOut}</Text>
        ) : comment === "" ? (
          <Prose className="outside" says={f.explanation} />
        ) : (
          <ReviewPart says={comment} label={reviewText.comment(place(f))} raw={raw} />
        )}
        {!out && words && (
          <Stack gap="xs">
            <Text size="sm">{texts.madeAgain}</Text>
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
