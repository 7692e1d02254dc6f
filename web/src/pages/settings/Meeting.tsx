import { Button, Group, Stack, Text } from "@mantine/core";
import { text } from "@/texts";
import { settings as texts } from "@/texts/settings";
import { Difference, type Differing } from "@/ui/Difference";

interface Props {
  title: string;
  /** The other person's changes. */
  rows: readonly Differing[];
  /** The settings that both have changed. take replaces the person's value with the other's. */
  both: readonly { key: string; name: string; take: () => void }[];
  seen: () => void;
}

/** Another person's saved changes. The person's own changes are applied on top. */
export function Meeting({ title, rows, both, seen }: Props) {
  return (
    <div className="note" role="alert">
      <Stack gap="xs">
        <Text fw={650}>{title}</Text>
        <Text>{texts.met.says}</Text>
        <Difference caption={texts.met.caption} headings={{ name: texts.saving.setting, before: texts.saving.before, after: texts.saving.after }} rows={rows} />
        {both.length > 0 && <Text>{texts.met.both(both.map((b) => b.name).join(", "))}</Text>}
        <Group gap="xs">
          {both.map((b) => (
            <Button key={b.key} size="compact-sm" variant="default" onClick={b.take}>
              {texts.met.take(b.name)}
            </Button>
          ))}
          <Button size="compact-sm" variant="default" onClick={seen} aria-label={`${texts.met.seen}: ${text.common.close}`}>
            {texts.met.seen}
          </Button>
        </Group>
      </Stack>
    </div>
  );
}
