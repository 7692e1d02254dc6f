import type { ReactNode } from "react";
import { Stack, Text } from "@mantine/core";

/** Nothing to show: one sentence, and one thing to do about it. */
export function Empty({ says, action }: { says: string; action?: ReactNode }) {
  return (
    <div className="note quiet">
      <Stack gap="xs" align="flex-start">
        <Text>{says}</Text>
        {action}
      </Stack>
    </div>
  );
}
