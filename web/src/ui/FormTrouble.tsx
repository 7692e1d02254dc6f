import { Button, Stack, Text } from "@mantine/core";
import { text } from "@/texts";
import type { Problem } from "@/api/problem";
import { Trouble } from "./Trouble";

/** The error above a form that was refused: one without a field, or another person's change. */
export function FormTrouble({ problem, conflict, reload }: { problem: Problem | undefined; conflict: boolean; reload?: () => void }) {
  if (!problem) return null;
  if (!conflict) return <Trouble error={problem} />;
  return (
    <div className="note bad" role="alert">
      <Stack gap="xs" align="flex-start">
        <Text>{text.form.conflict}</Text>
        {reload && (
          <Button size="xs" variant="default" onClick={reload}>
            {text.form.reload}
          </Button>
        )}
      </Stack>
    </div>
  );
}
