import { Button, Stack, Text } from "@mantine/core";
import { text } from "@/texts";
import type { Problem } from "@/api/problem";
import { Trouble } from "./Trouble";

/** What stands above a form that was not taken: of no field, or of somebody else's change. */
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
