import { Button, CopyButton, Group, Stack, Text } from "@mantine/core";
import { asProblem, type Problem } from "@/api/problem";
import { text } from "@/texts";

/** What somebody can paste to an operator: enough to find the request, and nothing of what was entered. */
export function report(problem: Problem, at: string): string {
  return [`${text.app} ${text.trouble.report}`, `page: ${at}`, `problem: ${problem.code} (${problem.status})`, `said: ${problem.message}`, `request: ${problem.requestId || "-"}`, `time: ${new Date().toISOString()}`, `browser: ${navigator.userAgent}`].join("\n");
}

function says(problem: Problem): string {
  if (problem.status === 0) return text.trouble.noAnswer;
  return problem.message || text.trouble.unknown;
}

/** What went wrong, with the request's id and what the reader can do. */
export function Trouble({ error, again }: { error: unknown; again?: () => void }) {
  const problem = asProblem(error);
  return (
    <div className="note bad" role="alert">
      <Stack gap="xs">
        <Text fw={650}>{problem.absent ? text.trouble.absent : problem.status === 403 ? text.trouble.forbidden : text.trouble.heading}</Text>
        <Text>{says(problem)}</Text>
        {problem.fields.map((f) => (
          <Text key={`${f.pointer} ${f.message}`} size="sm">
            <code>{f.pointer}</code> {f.message}
          </Text>
        ))}
        {problem.requestId !== "" && (
          <Text size="sm" c="dimmed">
            {text.trouble.request} <code>{problem.requestId}</code>
          </Text>
        )}
        <Group gap="xs">
          {again && (
            <Button size="xs" variant="default" onClick={again}>
              {text.trouble.again}
            </Button>
          )}
          <CopyButton value={report(problem, location.pathname)}>
            {({ copied, copy }) => (
              <Button size="xs" variant="default" onClick={copy}>
                {copied ? text.trouble.copied : text.trouble.copy}
              </Button>
            )}
          </CopyButton>
        </Group>
      </Stack>
    </div>
  );
}
