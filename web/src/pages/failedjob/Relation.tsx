import { Stack, Text } from "@mantine/core";
import type { Schemas } from "@/api/queries";
import { failedJobs as texts } from "@/texts/failedJobs";
import { StateMark, type Tone } from "@/ui/StateMark";

const tones: Record<keyof typeof texts.relations, Tone> = { caused: "bad", unrelated: "quiet", unclear: "warn" };

/** The relation of a failure to the change of its pull request, with the signs of a job that fails without it. */
export function Relation({ of: a }: { of: Schemas["CIAnalysis"] }) {
  return (
    <Stack gap={0} align="flex-start">
      {a.relation !== "" && <StateMark tone={tones[a.relation]}>{texts.relations[a.relation]}</StateMark>}
      {a.flaky && (
        <Text size="sm" c="dimmed">
          {texts.flaky}
        </Text>
      )}
      {a.onBase !== "" && (
        <Text size="sm" c="dimmed">
          {texts.onBase[a.onBase]}
        </Text>
      )}
    </Stack>
  );
}
