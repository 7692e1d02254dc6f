import { CopyButton, Button, Group, Stack, Text } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { asProblem } from "@/api/problem";
import { text } from "@/texts";
import { report, wordsOf } from "./Trouble";

/**
 * Shows above the page that something did not work, with the request and the report, until it is
 * closed. For errors without a place on the page. says replaces the words of the refusal.
 */
export function failed(error: unknown, says?: string): void {
  const problem = asProblem(error);
  const words = wordsOf(problem);
  notifications.show({
    title: words.title,
    color: "red.9",
    autoClose: false,
    closeButtonProps: { "aria-label": text.common.close },
    message: (
      <Stack gap="xs">
        <Text size="sm">{says ?? words.says}</Text>
        <Group gap="xs">
          {problem.requestId !== "" && (
            <Text size="sm">
              {text.trouble.request} <code>{problem.requestId}</code>
            </Text>
          )}
          <CopyButton value={report(problem, location.pathname)}>
            {({ copied, copy }) => (
              <Button size="compact-xs" variant="default" onClick={copy}>
                {copied ? text.trouble.copied : text.trouble.copy}
              </Button>
            )}
          </CopyButton>
        </Group>
      </Stack>
    ),
  });
}
