import { useEffect, useRef } from "react";
import { Button, Group, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { api, ok } from "@/api/client";
import { keys } from "@/api/queries";
import { settingNames } from "@/texts/names";
import { tour as texts } from "@/texts/tour";
import { ButtonLink } from "@/ui/links";
import type { Demo } from "./demo";

type StepId = keyof typeof texts.steps;

/** The pages of the console that steps lead to, and the setting that a step looks for. */
const pages = { read: "/t/$tenantId/runs", approve: "/t/$tenantId/approvals", dismiss: "/t/$tenantId/findings", whatIf: "/t/$tenantId/defaults" } as const;
const searches: Partial<Record<StepId, { q: string }>> = { whatIf: { q: settingNames.failOn } };

/** The numbers of the sample's pull requests that steps lead to. */
const pulls = { reply: 1, push: 2, apply: 1, merge: 2 } as const;

const order = Object.keys(texts.steps) as StepId[];

/** One step of the tour of the demo. go(-1 - step) leaves it at the step. */
export function Tour({ demo, tenantId, step, go }: { demo: Demo; tenantId: string; step: number; go: (to: number) => void }) {
  const heading = useRef<HTMLHeadingElement>(null);
  const shown = useRef(step);
  useEffect(() => {
    if (shown.current !== step) heading.current?.focus(); // a reader hears the new step
    shown.current = step;
  }, [step]);
  const id = order[Math.min(step, order.length)];
  return (
    <section aria-label={texts.label} className="tour">
      <h2 ref={heading} tabIndex={-1}>
        {id ? `${texts.position(step + 1, order.length)}: ${texts.steps[id].title}` : texts.finished}
      </h2>
      {id && <Text size="sm">{texts.steps[id].says}</Text>}
      <Group gap="xs" mt="xs">
        {id && <Leads id={id} demo={demo} tenantId={tenantId} />}
        {step > 0 && (
          <Button size="xs" variant="default" onClick={() => go(id ? step - 1 : 0)}>
            {id ? texts.back : texts.again}
          </Button>
        )}
        {id && (
          <Button size="xs" variant="default" onClick={() => go(step + 1)}>
            {step === order.length - 1 ? texts.finish : texts.next}
          </Button>
        )}
        <Button size="xs" variant="subtle" onClick={() => go(-1 - step)}>
          {texts.leave}
        </Button>
      </Group>
    </section>
  );
}

/** The review of the sample's first pull request, if it is wanted and has ended. */
function useFirstReview(demo: Demo, tenantId: string, wanted: boolean) {
  const runs = useQuery({
    queryKey: keys.tenant(tenantId, "tour"),
    queryFn: async ({ signal }) => (await ok(api.GET("/api/tenants/{tenantId}/review-runs", { params: { path: { tenantId }, query: { limit: 50, state: "completed" } }, signal }))).items,
    enabled: wanted && tenantId !== "",
  });
  return wanted ? runs.data?.findLast((r) => r.pullRequest.number === 1 && demo.pulls[0]?.includes(`/${r.repository.owner}/${r.repository.name}/`)) : undefined;
}

/** The link of a step: to a page of the console, or to one of the simulated host in a tab of its own. */
function Leads({ id, demo, tenantId }: { id: StepId; demo: Demo; tenantId: string }) {
  const says = texts.steps[id].does;
  const run = useFirstReview(demo, tenantId, id === "read");
  if (id in pages) {
    if (tenantId === "") return null;
    if (run)
      return (
        <ButtonLink size="xs" to="/t/$tenantId/repositories/$repositoryId/runs/$runId" params={{ tenantId, repositoryId: run.repositoryId, runId: run.id }}>
          {says}
        </ButtonLink>
      );
    return (
      <ButtonLink size="xs" to={pages[id as keyof typeof pages]} params={{ tenantId }} search={searches[id] ?? {}}>
        {says}
      </ButtonLink>
    );
  }
  const at = demo.pulls[pulls[id as keyof typeof pulls] - 1];
  if (at === undefined) return null;
  return (
    <Button size="xs" component="a" href={at} target="_blank" rel="noreferrer" title={texts.newTab}>
      {says}
    </Button>
  );
}
