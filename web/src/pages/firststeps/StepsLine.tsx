import { useEffect } from "react";
import { Button, Group, Progress, Text } from "@mantine/core";
import { firstSteps as texts } from "@/texts/firststeps";
import { ButtonLink } from "@/ui/links";
import { usePutAway } from "./putAway";
import { doneOf } from "./steps";
import { useSteps } from "./useSteps";

/** One line of the inbox: the progress of the first steps. Empty if they are done or hidden. */
export function StepsLine({ tenantId }: { tenantId: string }) {
  const [kept, keep] = usePutAway(tenantId);
  return kept === "" ? <Line tenantId={tenantId} keep={keep} /> : null;
}

function Line({ tenantId, keep }: { tenantId: string; keep: (to: "away" | "done") => void }) {
  const { steps, ready, admin } = useSteps(tenantId);
  const done = doneOf(steps);
  const all = ready && done === steps.length;
  useEffect(() => {
    if (all) keep("done");
  }, [all, keep]);
  if (!ready || all || !admin) return null;
  return (
    <section className="sheet" aria-label={texts.line}>
      <Group justify="space-between">
        <Text>
          <strong>{texts.line}</strong>: {texts.progress(done, steps.length)}
        </Text>
        <Progress value={(done / steps.length) * 100} aria-label={texts.progress(done, steps.length)} flex="1 1 6rem" miw="6rem" />
        <Group gap="xs">
          <ButtonLink to="/t/$tenantId/first-steps" params={{ tenantId }} size="xs">
            {texts.open}
          </ButtonLink>
          <Button size="xs" variant="default" onClick={() => keep("away")}>
            {texts.away}
          </Button>
        </Group>
      </Group>
    </section>
  );
}
