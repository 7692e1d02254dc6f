import { Anchor, Box, Button, Group, Text } from "@mantine/core";
import { Problem } from "@/api/problem";
import { text } from "@/texts";
import { Page } from "@/ui/Page";
import { Trouble } from "@/ui/Trouble";
import { Absent } from "./Absent";

/** A part of the console that no longer exists, because the service was updated while the page was open. */
const goneChunk = /dynamically imported module|Importing a module script failed|error loading dynamically/i;

/** Replaces a page that has crashed. */
export function Broken({ error, reset }: { error: unknown; reset?: () => void }) {
  const updated = error instanceof Error && !(error instanceof Problem) && goneChunk.test(error.message);
  if (error instanceof Problem)
    return (
      <Box component="main" p="md" maw={760} mx="auto">
        {error.absent ? (
          <Absent />
        ) : (
          <Page title={text.trouble.heading}>
            <Trouble error={error} {...(reset ? { again: reset } : {})} />
            <Anchor href="/?choose=true">{text.trouble.start}</Anchor>
          </Page>
        )}
      </Box>
    );
  return (
    <div role="alert">
      <Page title={updated ? text.trouble.newVersion : text.trouble.broken}>
        <Text>{updated ? text.trouble.newVersionSays : text.trouble.brokenSays}</Text>
        <Group>
          <Button onClick={() => location.reload()}>{text.trouble.reload}</Button>
        </Group>
        {!updated && <Trouble error={error} />}
      </Page>
    </div>
  );
}
