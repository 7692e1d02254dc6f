import { lazy, Suspense, useEffect, useRef, useState } from "react";
import { Box, Button, Group, Progress, Stack, Text, Title } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useParams } from "@tanstack/react-router";
import { presetsQuery } from "@/api/models";
import { patiently } from "@/app/lazyPage";
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
import { currentOf, doneOf, runOf, type Step, type StepId } from "./steps";
import { useSteps, type Steps } from "./useSteps";

// They are needed once, so they are not part of the page's first download.
const KeyDialogs = lazy(() => patiently(() => import("@/pages/modelkeys/KeyDialogs").then((m) => ({ default: m.KeyDialogs }))));

const tones: Record<Step["state"], Tone> = { done: "good", todo: "quiet", failed: "bad", busy: "busy", unknown: "quiet" };

/** The id of the line of the current step. */
const currentStep = "current-step";

/** Focuses the current step if the button that opened a dialog is gone. */
function focusIfLost() {
  if (document.activeElement === document.body) document.getElementById(currentStep)?.focus();
}

/** The way from a fresh tenant to its first review, each step as the service sees it. Steps that were done before stand folded below the others. */
export function FirstStepsPage() {
  const { tenantId } = useParams({ from: "/t/$tenantId" });
  const found = useSteps(tenantId);
  const [kept, keep] = usePutAway(tenantId);
  const done = doneOf(found.steps);
  const all = done === found.steps.length;
  const current = currentOf(found.steps);
  const [dialog, setDialog] = useState<OpenKey>();
  const [touched, setTouched] = useState<readonly StepId[]>([]); // a step stays in its place while a person works in it
  const touch = (id: StepId) => setTouched((before) => (before.includes(id) ? before : [...before, id]));
  const isPast = (s: Step) => s.state === "done" && !touched.includes(s.id);
  const [left, past] = [found.steps.filter((s) => !isPast(s)), found.steps.filter(isPast)];
  const props = { tenantId, found, openKey: setDialog };
  const before = useRef(current);
  useEffect(() => {
    if (before.current !== undefined) focusIfLost();
    before.current = current;
  }, [current]);
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
          <List of={left} {...props} current={current} touch={touch} />
          {past.length > 0 && (
            <details className="sheet">
              <summary>{texts.past(past.length)}</summary>
              <Box mt="sm">
                <List of={past} {...props} />
              </Box>
            </details>
          )}
          <KeyDialog tenantId={tenantId} found={found} open={dialog} setOpen={setDialog} />
        </>
      )}
    </Page>
  );
}

/** Steps in their order. touch hears in which step a person begins to work. */
function List({ of, current, touch, ...props }: Omit<StepProps, "step"> & { of: readonly Step[]; current?: StepId | undefined; touch?: (id: StepId) => void }) {
  if (of.length === 0) return null;
  return (
    <Stack component="ol" p={0} m={0} gap="sm" className="bare-list">
      {of.map((s) => (
        <li key={s.id} className="sheet" onFocus={() => touch?.(s.id)}>
          <Sheet step={s} current={s.id === current} {...props} />
        </li>
      ))}
    </Stack>
  );
}

interface StepProps {
  tenantId: string;
  step: Step;
  found: Steps;
  openKey: (dialog: OpenKey) => void;
}

/** The line of a step: its state and name, and its result if it is done. */
function Line({ step }: { step: Step }) {
  return (
    <>
      <StateMark tone={tones[step.state]}>{texts.states[step.state]}</StateMark>{" "}
      <Title order={2} size="h4" display="inline">
        {texts.steps[step.id]}
      </Title>{" "}
      {step.state === "done" && (
        <Text component="span" size="sm" c="dimmed">
          <Outside says={step.says} />
        </Text>
      )}
    </>
  );
}

/** A step. The current step is unfolded; a person can fold and unfold each. A step stays unfolded while a person works in it. A done step without actions is a line. */
function Sheet({ current, ...props }: StepProps & { current: boolean }) {
  const { step, found } = props;
  const [chosen, unfold] = useState<boolean>();
  const open = chosen ?? current;
  if (step.state === "done" && step.id !== "repository" && (step.id !== "review" || !found.admin)) return <Line step={step} />;
  return (
    <details open={open} onToggle={(e) => e.currentTarget.open !== open && unfold(e.currentTarget.open)}>
      <summary {...(current ? { id: currentStep } : {})}>
        <Line step={step} />
      </summary>
      {(open || chosen === false) && (
        <Stack gap="xs" align="flex-start" mt="xs" onFocus={() => unfold(true)}>
          {step.state !== "done" && (
            <Text>
              <Outside says={step.says} />
            </Text>
          )}
          {step.solution !== "" && <Text size="sm">{step.solution}</Text>}
          <Does {...props} />
        </Stack>
      )}
    </details>
  );
}

/** The actions of a step. */
function Does({ tenantId, step, found, openKey }: StepProps) {
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
      return open && found.admin ? <Key tenantId={tenantId} found={found} openKey={openKey} /> : null;
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
      return <Review tenantId={tenantId} step={step} found={found} />;
    default:
      return null;
  }
}

/** The buttons of the step of the key. */
function Key({ tenantId, found, openKey }: Omit<StepProps, "step">) {
  const first = found.keys[0];
  return (
    <Group gap="xs">
      <Button size="xs" onClick={() => openKey(first ? { what: "test", id: first.id } : { what: "add" })}>
        {first ? texts.key.test : modelKeys.add}
      </Button>
      <ButtonLink to="/t/$tenantId/model-keys" params={{ tenantId }} size="xs" variant="default">
        {texts.key.does}
      </ButtonLink>
    </Group>
  );
}

/** The dialog of a key. It stays open when its step is done. */
function KeyDialog({ tenantId, found, open, setOpen }: Omit<StepProps, "step" | "openKey"> & { open: OpenKey | undefined; setOpen: (to?: OpenKey) => void }) {
  const presets = useQuery({ ...presetsQuery, enabled: open !== undefined });
  return (
    <>
      {presets.data && (
        <Suspense fallback={null}>
          <KeyDialogs tenantId={tenantId} presets={presets.data} all={found.keys} open={open} setOpen={setOpen} closed={focusIfLost} />
        </Suspense>
      )}
      {open && presets.isError && <Trouble error={presets.error} again={() => void presets.refetch()} />}
    </>
  );
}

/** The last review, and the open pull requests to choose one from: at once if there was no review yet. */
function Review({ tenantId, step, found }: Omit<StepProps, "openKey">) {
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
      {listed && <StartReview tenantId={tenantId} first={first || found.repository} />}
    </>
  );
}
