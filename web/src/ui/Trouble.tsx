import { Button, CopyButton, Group, Stack, Text } from "@mantine/core";
import { useLost } from "@/api/useLost";
import { asProblem, type Problem } from "@/api/problem";
import { text } from "@/texts";
import { problems } from "@/texts/problems";

/** A report for an operator: enough to find the request, and no entered values. */
export function report(problem: Problem, at: string): string {
  const t = text.trouble.lines;
  return [`${text.app} ${text.trouble.report}`, `${t.page}: ${at}`, `${t.problem}: ${problem.code} (${problem.status})`, `${t.said}: ${problem.message}`, `${t.request}: ${problem.requestId || "-"}`, `${t.time}: ${new Date().toISOString()}`, `${t.browser}: ${navigator.userAgent}`].join("\n");
}

/** The title and text of a refusal: by its code, otherwise in the service's own words. */
export function wordsOf(problem: Problem): { title: string; says: string } {
  const known = Object.hasOwn(problems, problem.code) ? problems[problem.code] : undefined;
  const title = problem.absent ? text.trouble.absent : problem.status === 403 ? text.trouble.forbidden : text.trouble.heading;
  return { title: known?.title ?? title, says: known?.says ?? (problem.message || text.trouble.unknown) };
}

/** An error, with the request's id and what the reader can do. The failure of a reading, which has again, is not shown while the console says that the connection is lost. */
export function Trouble({ error, again }: { error: unknown; again?: () => void }) {
  const problem = asProblem(error);
  const lost = useLost();
  const { title, says } = wordsOf(problem);
  if (again && lost && problem.outage) return null;
  return (
    <div className="note bad" role="alert">
      <Stack gap="xs">
        <Text fw={650}>{title}</Text>
        <Text>{says}</Text>
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
