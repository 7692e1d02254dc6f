import { Anchor, Stack, Text } from "@mantine/core";
import { text } from "@/texts";
import { Page } from "@/ui/Page";

/** The page does not exist, or the reader may not see it: both look the same. */
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
