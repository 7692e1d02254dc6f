import { Button, Group, Text } from "@mantine/core";
import { text } from "@/texts";

/** Says that the overlays could not be loaded, because questions and messages would not be visible. */
export function PartMissing() {
  return (
    <div className="note bad part-missing" role="alert">
      <Group gap="sm">
        <Text>{text.trouble.partMissing}</Text>
        <Button size="xs" variant="default" onClick={() => location.reload()}>
          {text.trouble.reload}
        </Button>
      </Group>
    </div>
  );
}
