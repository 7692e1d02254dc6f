import { Button, Group, Text } from "@mantine/core";
import { text } from "@/texts";

/** Says that what opens above pages could not be loaded: without it questions and answers would not be seen. */
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
