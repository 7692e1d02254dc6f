import { Group, Stack, Text } from "@mantine/core";
import { staticAnalysis as texts } from "@/texts/staticAnalysis";
import { PageLink } from "@/ui/links";
import { Analysers, Download } from "./Analysers";
import type { RunPath } from "./queries";
import type { StaticRun } from "./types";

/** The static analysis of a review: analysers, results that were not used, and SARIF. */
export function StaticAnalysis({ path, runs }: { path: RunPath; runs: readonly StaticRun[] }) {
  const { tenantId, repositoryId } = path;
  return (
    <Stack gap="xs">
      {runs.length === 0 && <Text>{texts.none}</Text>}
      {runs.map((r) => (
        <Group key={r.id} align="flex-start" gap="md">
          <Analysers run={r} />
          <Download tenantId={tenantId} repositoryId={repositoryId} run={r} />
        </Group>
      ))}
      <PageLink to="/t/$tenantId/repositories/$repositoryId/records/$list" params={{ tenantId, repositoryId, list: "sast-runs" }}>
        {texts.all}
      </PageLink>
    </Stack>
  );
}
