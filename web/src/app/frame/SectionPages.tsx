import { useState } from "react";
import { Text, TextInput, Title } from "@mantine/core";
import { IconSearch } from "@tabler/icons-react";
import { text } from "@/texts";
import { isFound } from "@/ui/isFound";
import type { Section } from "./navigation";
import { GroupHeading, PageLine } from "./PageList";

/** The pages of a section in groups, with a field that finds some of them. */
export function SectionPages({ section, tenantId }: { section: Section; tenantId: string }) {
  const [typed, setTyped] = useState("");
  const groups = section.groups.map((g) => ({ ...g, entries: g.entries.filter((e) => isFound(e, typed.trim())) })).filter((g) => g.entries.length > 0);
  return (
    <nav aria-label={section.label}>
      <Title order={2} size="h3" mb="xs" px="xs">
        {section.label}
      </Title>
      <TextInput
        type="search"
        size="xs"
        label={text.frame.findIn(section.label)}
        px="xs"
        leftSection={<IconSearch size={14} aria-hidden />}
        value={typed}
        autoComplete="off"
        maxLength={60}
        onChange={(e) => setTyped(e.currentTarget.value)}
      />
      {groups.map((group) => (
        <section key={group.label} aria-label={group.label}>
          <GroupHeading>{group.label}</GroupHeading>
          {group.entries.map((entry) => (
            <PageLine key={entry.to} entry={entry} tenantId={tenantId} />
          ))}
        </section>
      ))}
      {groups.length === 0 && (
        <Text size="sm" c="dimmed" mt="sm" px="xs" role="status">
          {text.frame.nothingFound}
        </Text>
      )}
    </nav>
  );
}
