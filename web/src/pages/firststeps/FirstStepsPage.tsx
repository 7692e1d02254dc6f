import { lazy, Suspense, useState } from "react";
import { Button, Group, Progress, Stack, Text, Title } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useParams } from "@tanstack/react-router";
import { presetsQuery } from "@/api/models";
import type { OpenKey } from "@/pages/modelkeys/KeyDialogs";
import { firstSteps as texts } from "@/texts/firststeps";
import { modelKeys } from "@/texts/models";
import { settingNames } from "@/texts/names";
import { ButtonLink } from "@/ui/links";
import { Waiting } from "@/ui/Loaded";
import { Outside } from "@/ui/Outside";
import { Page } from "@/ui/Page";
import { RunLink } from "@/ui/RunLink";
import { StateMark, type Tone } from "@/ui/StateMark";
import { Trouble } from "@/ui/Trouble";
import { usePutAway } from "./putAway";
import { StartReview } from "./StartReview";
import { currentOf, doneOf, runOf, type Step } from "./steps";
import { useSteps, type Steps } from "./useSteps";

// They are needed once, so they are not part of the page's first download.
const KeyDialogs = lazy(() => import("@/pages/modelkeys/KeyDialogs").then((m) => ({ default: m.KeyDialogs })));

const tones: Record<Step["state"], Tone> = { done: "good", todo: "quiet", failed: "bad", busy: "busy", unknown: "quiet" };

/** The id of the line of the current step. */
const currentStep = "current-step";

/** Focuses the current step if the button that opened a dialog is gone. */
function focusIfLost() {
  if (document.activeElement === document.body) document.getElementById(currentStep)?.focus();
}

/** The way from a fresh tenant to its first review, each step as the service sees it. */
export function FirstStepsPage() {
  const { tenantId } = useParams({ from: "/t/$tenantId" });
  const found = useSteps(tenantId);
  const [kept, keep] = usePutAway(tenantId);
  const done = doneOf(found.steps);
  const all = done === found.steps.length;
  const current = currentOf(found.steps);
  return (
    <Page
      title={texts.title}
      actions={
        <Group gap="xs">
          <Button size="xs" variant="default" onClick={found.again}>
            {texts.again}
          </Button>
          {!all && (
            <Button size="xs" variant="default" onClick={() => keep(kept === "" ? "away" : "")}>
              {kept === "" ? texts.away : texts.back}
            </Button>
          )}
        </Group>
      }
    >
      <Text>{found.admin ? texts.says : texts.member}</Text>
      {found.error !== null && <Trouble error={found.error} again={found.again} />}
      {!found.ready ? (
        <Waiting lines={8} />
      ) : (
        <>
          <Text role="status" fw={650}>
            {all ? texts.allDone : texts.progress(done, found.steps.length)}
          </Text>
          <Progress value={(done / found.steps.length) * 100} aria-label={texts.progress(done, found.steps.length)} />
          <Stack component="ol" p={0} m={0} gap="sm" className="bare-list">
            {found.steps.map((s) => (
              <li key={s.id} className="sheet">
                <Sheet tenantId={tenantId} step={s} current={s.id === current} found={found} />
              </li>
            ))}
          </Stack>
        </>
      )}
    </Page>
  );
}

interface StepProps {
  tenantId: string;
  step: Step;
  found: Steps;
}

/** A step: only the current one is unfolded, until the person folds or unfolds it. A done one shows its result in its line. */
function Sheet({ tenantId, step, current, found }: StepProps & { current: boolean }) {
  const [chosen, unfold] = useState<boolean>();
  const open = chosen ?? current;
  const says = <Outside says={step.says} />;
  return (
    <details open={open} onToggle={(e) => e.currentTarget.open !== open && unfold(e.currentTarget.open)}>
      <summary {...(current ? { id: currentStep } : {})}>
        <Group component="span" display="inline-flex" gap="xs" maw="calc(100% - 1.5rem)" style={{ verticalAlign: "top" }}>
          <StateMark tone={tones[step.state]}>{texts.states[step.state]}</StateMark>
          <Title order={2} size="h4">
            {texts.steps[step.id]}
          </Title>
          {step.state === "done" && (
            <Text component="span" size="sm" c="dimmed">
              {says}
            </Text>
          )}
        </Group>
      </summary>
      <Stack gap="xs" align="flex-start" mt="xs">
        {step.state !== "done" && <Text>{says}</Text>}
        {step.solution !== "" && <Text size="sm">{step.solution}</Text>}
        <Does tenantId={tenantId} step={step} found={found} open={open} stay={() => unfold(true)} />
      </Stack>
    </details>
  );
}

/** The actions of a step. stay keeps the step unfolded when it is done. */
function Does({ tenantId, step, found, open: unfolded, stay }: StepProps & { open: boolean; stay: () => void }) {
  const params = { tenantId };
  const open = step.state !== "done";
  switch (step.id) {
    case "host":
      return open && found.admin ? (
        <ButtonLink to="/t/$tenantId/connections" params={params} size="xs">
          {texts.host.does}
        </ButtonLink>
      ) : null;
    case "address":
      return open && found.test ? (
        <Group gap="xs">
          <Button size="xs" onClick={found.test}>
            {texts.address.test}
          </Button>
          <ButtonLink to="/instance/settings" size="xs" variant="default">
            {texts.address.set}
          </ButtonLink>
        </Group>
      ) : null;
    case "repository":
      return (
        <ButtonLink to="/t/$tenantId/repositories" params={params} size="xs" variant="default">
          {texts.repository.does}
        </ButtonLink>
      );
    case "key":
      return found.admin ? <Key tenantId={tenantId} found={found} open={open} /> : null;
    case "tiers":
      return open && found.admin ? (
        <ButtonLink to="/t/$tenantId/models" params={params} size="xs">
          {texts.tiers.does}
        </ButtonLink>
      ) : null;
    case "threshold":
      return open && found.admin ? (
        <ButtonLink to="/t/$tenantId/defaults" params={params} search={{ q: settingNames.failOn }} size="xs">
          {texts.threshold.does}
        </ButtonLink>
      ) : null;
    case "review":
      return unfolded ? <Review tenantId={tenantId} step={step} found={found} started={stay} /> : null;
    default:
      return null;
  }
}

/** The buttons of the step, and the dialog of a new key, which stays until it is closed. */
function Key({ tenantId, found, open }: { tenantId: string; found: Steps; open: boolean }) {
  const [dialog, setDialog] = useState<OpenKey>();
  const presets = useQuery({ ...presetsQuery, enabled: dialog !== undefined });
  const first = found.keys[0];
  return (
    <>
      {open && (
        <Group gap="xs">
          <Button size="xs" onClick={() => setDialog(first ? { what: "test", id: first.id } : { what: "add" })}>
            {first ? texts.key.test : modelKeys.add}
          </Button>
          <ButtonLink to="/t/$tenantId/model-keys" params={{ tenantId }} size="xs" variant="default">
            {texts.key.does}
          </ButtonLink>
        </Group>
      )}
      {presets.data && (
        <Suspense fallback={null}>
          <KeyDialogs tenantId={tenantId} presets={presets.data} all={found.keys} open={dialog} setOpen={setDialog} closed={focusIfLost} />
        </Suspense>
      )}
      {dialog && presets.isError && <Trouble error={presets.error} again={() => void presets.refetch()} />}
    </>
  );
}

/** The last review, and the open pull requests to choose one from: at once if there was no review yet. */
function Review({ tenantId, step, found, started }: StepProps & { started: () => void }) {
  const [starting, start] = useState(false);
  const run = runOf(found.runs);
  const offers = found.admin && step.state !== "busy";
  const [first, setFirst] = useState(""); // the repository whose pull requests are listed, until the person leaves the page
  if (first === "" && offers && step.state === "todo" && found.repository !== "") setFirst(found.repository);
  const listed = starting || first !== "";
  return (
    <>
      <Group gap="xs">
        {run && (
          <RunLink tenantId={tenantId} repositoryId={run.repositoryId} runId={run.id}>
            {step.state === "busy" ? texts.review.watch : texts.review.look}
          </RunLink>
        )}
        {offers && !listed && (
          <Button size="xs" variant={step.state === "done" ? "default" : "filled"} onClick={() => start(true)}>
            {texts.review.start}
          </Button>
        )}
      </Group>
      {listed && <StartReview tenantId={tenantId} first={first || found.repository} started={started} />}
    </>
  );
}
