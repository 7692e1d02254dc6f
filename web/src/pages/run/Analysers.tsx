import { Anchor, Stack, Text } from "@mantine/core";
import { staticAnalysis as texts } from "@/texts/staticAnalysis";
import { Outside } from "@/ui/Outside";
import type { RunPath } from "./queries";
import { duration } from "./timeline";
import type { StaticRun } from "./types";

/** The analysers of a run, each with its version and duration. */
export function Analysers({ run }: { run: StaticRun }) {
  return (
    <Stack gap={0} className="analysers">
      {run.analysers.map((a, i) => (
        <span key={i} className="outside">
          <Outside says={[a.name, a.version].filter((s) => s !== "").join(" ")} />
          {a.durationMs > 0 && `, ${duration(a.durationMs)}`}
          {a.suppressed > 0 && `, ${texts.suppressed(a.suppressed)}`}
          {a.failed && `, ${texts.unfinished}`}
          {a.stays > 0 && `: ${texts.stays(a.stays)}`}
        </span>
      ))}
      <LeftOut run={run} />
    </Stack>
  );
}

/** The units of notes, in the order in which they are counted. */
const units = Object.keys(texts.units) as (keyof typeof texts.units)[];

/** What the review could not use, counted by unit, with the reasons. */
function LeftOut({ run }: { run: StaticRun }) {
  if (run.leftOut.length === 0) return null;
  const counted = units.flatMap((unit) => {
    const count = run.leftOut.reduce((n, l) => (l.unit === unit ? n + l.count : n), 0);
    return count > 0 ? [texts.units[unit](count)] : [];
  });
  return (
    <details>
      <summary>{texts.leftOut(counted)}</summary>
      <ul>
        {run.leftOut.map((l, i) => (
          <li key={i} className="outside wrap-anywhere">
            <Outside says={l.unit === "analysers" ? texts.failed(l.analyser, l.why) : texts.note(l)} />
            {(l.examples ?? []).map((e) => (
              <Text key={e} size="sm" c="dimmed">
                <Outside says={e} />
              </Text>
            ))}
          </li>
        ))}
      </ul>
    </details>
  );
}

/** The link to the SARIF of a run. */
export const Download = ({ tenantId, repositoryId, run }: Omit<RunPath, "runId"> & { run: StaticRun }) => (
  <Anchor href={`/api/tenants/${tenantId}/repositories/${repositoryId}/sast-runs/${run.id}/sarif`} download size="sm" aria-label={texts.downloadOf(run.headSha.slice(0, 7))}>
    {texts.download}
  </Anchor>
);
