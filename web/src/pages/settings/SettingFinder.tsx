import { useId } from "react";
import { Button, Group, Stack, Switch, Text, TextInput } from "@mantine/core";
import { IconSearch } from "@tabler/icons-react";
import { settings as texts } from "@/texts/settings";
import { Empty } from "@/ui/Empty";
import { longestSearch } from "./search";

interface Props {
  typed: string;
  type: (words: string) => void;
  changedOnly: boolean;
  setChangedOnly: (on: boolean) => void;
  /** The number of settings, or the number that is found. */
  says: string;
  allOpen: boolean;
  /** Opens or closes all groups; undefined if no group is shown. */
  setAll: ((open: boolean) => void) | undefined;
}

/** Finds settings: a field for words, and a switch that leaves the changed ones. */
export function SettingFinder({ typed, type, changedOnly, setChangedOnly, says, allOpen, setAll }: Props) {
  const id = useId();
  return (
    <Stack gap="xs" role="search" aria-label={texts.find}>
      <Group align="flex-end" gap="md">
        <TextInput
          type="search"
          className="setting-search"
          label={texts.find}
          leftSection={<IconSearch size={16} aria-hidden />}
          value={typed}
          autoComplete="off"
          maxLength={longestSearch}
          onChange={(e) => type(e.currentTarget.value)}
        />
        <Stack gap={0}>
          <Switch className="setting-switch" label={texts.changedOnly} aria-describedby={`${id}-help`} checked={changedOnly} onChange={(e) => setChangedOnly(e.currentTarget.checked)} />
          <Text size="sm" c="dimmed" id={`${id}-help`}>
            {texts.changedOnlyHelp}
          </Text>
        </Stack>
      </Group>
      <Group gap="md">
        <Text size="sm" c="dimmed" role="status">
          {says}
        </Text>
        {setAll && (
          <Button size="compact-sm" variant="default" onClick={() => setAll(!allOpen)}>
            {allOpen ? texts.foldAll : texts.unfoldAll}
          </Button>
        )}
      </Group>
    </Stack>
  );
}

interface NoneProps {
  words: string;
  changedOnly: boolean;
  showAll: () => void;
  searchAll: () => void;
}

/** No setting is shown: why, and what to do about it. */
export function NoSetting({ words, changedOnly, showAll, searchAll }: NoneProps) {
  const says = words === "" ? texts.noneChanged : changedOnly ? texts.noneChangedFound(words) : texts.noneFound(words);
  return (
    <Empty
      says={says}
      action={
        <Group gap="xs">
          {words !== "" && changedOnly && (
            <Button size="compact-sm" variant="default" onClick={searchAll}>
              {texts.searchAll}
            </Button>
          )}
          <Button size="compact-sm" variant="default" onClick={showAll}>
            {texts.showAll}
          </Button>
        </Group>
      }
    />
  );
}
