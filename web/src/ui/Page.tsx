import { use, useEffect, useRef, type ReactNode } from "react";
import { Group, Stack, Title } from "@mantine/core";
import { text } from "@/texts";
import { useArrival } from "./arrival";
import { TabName } from "./tabName";

interface Props {
  title: string;
  /** A summary beside the heading. */
  summary?: ReactNode;
  actions?: ReactNode;
  children: ReactNode;
}

/** The content of a page: its heading, which is its title as well, and what stands beside it. The heading is not visible if the tab above the page has the same name. */
export function Page({ title, summary, actions, children }: Props) {
  const heading = useRef<HTMLHeadingElement>(null);
  const isDoubled = use(TabName) === title;
  useArrival(heading);
  useEffect(() => {
    document.title = `${title} · ${text.app}`;
  }, [title]);
  const isAlone = isDoubled && !summary && !actions;
  return (
    <Stack gap="sm">
      <Group justify="space-between" gap="xs" {...(isAlone ? { className: "no-room" } : {})}>
        <Group gap="md">
          <Title order={1} ref={heading} tabIndex={-1} {...(isDoubled ? { className: "doubled" } : {})}>
            {title}
          </Title>
          {summary}
        </Group>
        {actions}
      </Group>
      {children}
    </Stack>
  );
}
