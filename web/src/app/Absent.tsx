import { Anchor, Stack, Text } from "@mantine/core";
import { text } from "@/texts";
import { Page } from "@/ui/Page";

/** There is no such page, or it is not for the reader: both look the same. */
export function Absent() {
  return (
    <Page title={text.trouble.pageAbsent}>
      <Stack align="flex-start">
        <Text>{text.trouble.pageAbsentSays}</Text>
        <Anchor href="/?choose=true">{text.trouble.start}</Anchor>
      </Stack>
    </Page>
  );
}
