import { Stack, Text } from "@mantine/core";
import type { Schemas } from "@/api/queries";
import { fixRuns as texts } from "@/texts/fixruns";
import { PageLink } from "@/ui/links";
import { Outside } from "@/ui/Outside";
import { StateMark } from "@/ui/StateMark";
import { Time } from "@/ui/Time";
import { FixRunMark } from "./state";

interface Place {
  tenantId: string;
  repositoryId: string;
}

/** The fix runs of one finding, newest first: what became of the finding, why it has no fix, and a link to each run. */
export function FixesOf({ at, of }: { at: Place; of: readonly Schemas["FindingFix"][] }) {
  if (of.length === 0) return <Text>{texts.noneOfFinding}</Text>;
  return (
    <Stack gap="xs">
      {of.map((f) => (
        <div key={f.id}>
          {f.outcome === "" ? <FixRunMark state={f.state} /> : <StateMark tone={f.outcome === "passed" ? "good" : "warn"}>{texts.outcomeOf[f.outcome]}</StateMark>}{" "}
          <PageLink to="/t/$tenantId/repositories/$repositoryId/fix-runs/$fixRunId" params={{ ...at, fixRunId: f.id }}>
            {texts.runOf} <Time at={f.createdAt} inside />
          </PageLink>
          {f.outcome === "passed" && f.state !== "completed" && <> ({texts.states[f.state]})</>}
          {f.sentence !== "" && (
            <Text size="sm" className="outside">
              <Outside says={f.sentence} />
            </Text>
          )}
        </div>
      ))}
    </Stack>
  );
}
