import { Button, Code, Group, Stack, Text, Title } from "@mantine/core";
import { run } from "@/texts/run";
import { shownCode as t } from "@/texts/shownCode";
import { Outside } from "@/ui/Outside";
import type { ShownCode as Shown } from "./types";

type Item = Shown["items"][number];

/** The reasons for which code is shown to models, in the order of the answer. */
const reasons = ["left-behind", "definition", "caller", "sibling", "similar", "test", "manifest", "surroundings"] as const satisfies readonly Item["why"][];

interface Props {
  items: readonly Item[];
  indexCommit: string;
  more: (() => void) | null;
  busy: boolean;
}

/** The code beside the change that models saw, by the reason for which it was chosen. */
export function ShownCode({ items, indexCommit, more, busy }: Props) {
  if (items.length === 0) return <Text>{t.empty}</Text>;
  return (
    <Stack>
      <Text>{indexCommit === "" ? t.withoutIndex : t.index(indexCommit.slice(0, 10))}</Text>
      {reasons.map((why) => {
        const here = items.filter((i) => i.why === why);
        if (here.length === 0) return null;
        return (
          <Stack key={why} component="section" gap="xs">
            <Title order={3} size="h5">
              {t.reasons[why]}
            </Title>
            {here.map((i) => (
              <Group key={i.ordinal} gap="xs">
                <Code className="wrap-anywhere">
                  <Outside says={`${i.path}:${i.startLine}-${i.endLine}`} />
                </Code>
                {i.symbol !== "" && (
                  <Text size="sm" className="wrap-anywhere">
                    <Outside says={i.symbol} />
                  </Text>
                )}
                {i.about !== "" && (
                  <Text size="sm" c="dimmed" className="wrap-anywhere">
                    {t.about} <Outside says={i.about} />
                  </Text>
                )}
              </Group>
            ))}
          </Stack>
        );
      })}
      {more && (
        <Group>
          <Button variant="default" loading={busy} onClick={more}>
            {run.dropped.more}
          </Button>
        </Group>
      )}
    </Stack>
  );
}
