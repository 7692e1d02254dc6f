import { Group, Stack, Text, Title } from "@mantine/core";
import type { Schemas } from "@/api/queries";
import { connections as texts } from "@/texts/connections";
import { StateMark } from "@/ui/StateMark";

/** What a host said when a connection was tested, line by line. */
export function Checks({ of }: { of: Schemas["ConnectionChecks"] }) {
  return (
    <section className="note quiet" role="status">
      <Stack gap="xs">
        <Title order={4} size="h5">
          {texts.tested}
        </Title>
        {of.checks.map((c) => (
          <Group key={c.name} gap="xs" align="flex-start" wrap="nowrap">
            <StateMark tone={c.ok ? "good" : "bad"}>{c.ok ? texts.ok : texts.bad}</StateMark>
            <Text size="sm" className="wrap-anywhere">
              <b>{texts.checks[c.name]}:</b> {c.message}
            </Text>
          </Group>
        ))}
      </Stack>
    </section>
  );
}
