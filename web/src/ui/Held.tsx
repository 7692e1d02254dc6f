import { Button, Group } from "@mantine/core";
import { text } from "@/texts";

/** Tells that a list has changed while its rows stay in their places, and offers to show the change. */
export function Held({ held, release }: { held: boolean; release: () => void }) {
  return (
    <div role="status" className="held">
      {held && (
        <Group className="note" gap="sm">
          {text.common.held}
          <Button size="compact-sm" variant="default" onClick={release}>
            {text.common.showChange}
          </Button>
        </Group>
      )}
    </div>
  );
}
