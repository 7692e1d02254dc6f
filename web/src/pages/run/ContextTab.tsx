import { Code, Stack, Text, Title } from "@mantine/core";
import { calibration } from "@/texts/calibration";
import { run as texts } from "@/texts/run";
import { shownCode } from "@/texts/shownCode";
import { staticAnalysis } from "@/texts/staticAnalysis";
import { category, changeKind, depth, endCause, method, modelState, risk, size } from "@/texts/terms";
import { Facts } from "@/ui/Facts";
import type { Run } from "./types";

/** The context of the run: the coverage of each file, the triage, the code beside the change, and the calls of models beyond the change. */
export function ContextTab({ run, calls, analysis, code }: { run: Run; calls: React.ReactNode; analysis: React.ReactNode; code: React.ReactNode }) {
  const t = texts.context;
  const c = run.coverage;
  return (
    <Stack>
      <section>
        <Title order={2} size="h4">
          {t.coverage}
        </Title>
        <Text>{t.files(c.files, c.additions, c.deletions)}</Text>
        {run.tier !== "" && <Text className="outside">{t.depth(depth(run.tier), run.tierReason)}</Text>}
        <Covered label={t.reviewed(c.reviewed.length)} files={c.reviewed} />
        <Covered label={t.skimmed(c.skimmed.length)} files={c.skimmed} />
        <Covered label={t.skipped(c.skipped.length)} files={c.skipped} />
      </section>
      {run.triage?.state === "completed" && (
        <section>
          <Title order={2} size="h4">
            {t.triage}
          </Title>
          <Facts
            of={[
              [t.size, size(run.triage.size)],
              [t.kind, changeKind(run.triage.kind)],
              [t.risk, risk(run.triage.risk)],
              [t.areas, run.triage.areas.join(", ")],
              [t.labels, run.triage.labels.join(", ")],
              [t.method, [method(run.triage.method), run.triage.model].filter((s) => s !== "").join(": ")],
            ]}
          />
        </section>
      )}
      <section>
        <Title order={2} size="h4">
          {shownCode.heading}
        </Title>
        {code}
      </section>
      <section>
        <Title order={2} size="h4">
          {staticAnalysis.ofRun}
        </Title>
        {analysis}
      </section>
      <section>
        <Title order={2} size="h4">
          {t.tools}
        </Title>
        {calls}
      </section>
      <Facts
        of={[
          [t.round, run.round?.toString()],
          [calibration.ofRun, run.thresholds.map((m) => calibration.runThreshold(category(m.category), m.threshold)).join(", ")],
          [t.modelState, modelState(run.modelState)],
          [t.ended, run.endCause && endCause(run.endCause)],
          [t.delivery, run.deliveryId],
          [t.engine, run.engineVersion],
          [t.prompt, run.promptHash],
        ]}
      />
    </Stack>
  );
}

function Covered({ label, files }: { label: string; files: Run["coverage"]["reviewed"] }) {
  if (files.length === 0) return null;
  return (
    <details>
      <summary>{label}</summary>
      <ul>
        {files.map((f) => (
          <li key={f.path} className="wrap-anywhere">
            <Code>{f.path}</Code>
            {f.why ? `: ${f.why}` : ""}
          </li>
        ))}
      </ul>
    </details>
  );
}

