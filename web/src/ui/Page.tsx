import { useEffect, useRef, type ReactNode } from "react";
import { Group, Stack, Title } from "@mantine/core";
import { text } from "@/texts";
import { useArrival } from "./arrival";

/** The content of a page: its heading, which is its title as well, and what stands beside it. */
export function Page({ title, actions, children }: { title: string; actions?: ReactNode; children: ReactNode }) {
  const heading = useRef<HTMLHeadingElement>(null);
  useArrival(heading);
  useEffect(() => {
    document.title = `${title} · ${text.app}`;
  }, [title]);
  return (
    <Stack gap="md">
      <Group justify="space-between" align="flex-start">
        <Title order={1} ref={heading} tabIndex={-1}>
          {title}
        </Title>
        {actions}
      </Group>
      {children}
    </Stack>
  );
}
