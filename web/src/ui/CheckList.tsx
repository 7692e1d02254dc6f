import { Group, Stack, Text, Title } from "@mantine/core";
import { checks as texts } from "@/texts/checks";
import { StateMark } from "./StateMark";

interface Check {
  name: string;
  ok: boolean;
  message: string;
}

/** The results of a test, line by line. words has the names of checks; one without a name keeps its own. */
export function CheckList({ checks, words = {}, title = texts.tested }: { checks: readonly Check[]; words?: Readonly<Record<string, string>>; title?: string }) {
  return (
    <section className="note quiet" role="status">
      <Stack gap="xs">
        <Title order={3} size="h5">
          {title}
        </Title>
        {checks.map((c) => (
          <Group key={c.name} gap="xs" align="flex-start" wrap="nowrap">
            <StateMark tone={c.ok ? "good" : "bad"}>{c.ok ? texts.ok : texts.bad}</StateMark>
            <Text size="sm" className="wrap-anywhere">
              <b>{words[c.name] ?? c.name}:</b> {c.message}
            </Text>
          </Group>
        ))}
      </Stack>
    </section>
  );
}
