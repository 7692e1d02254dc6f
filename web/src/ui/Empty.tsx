import { type ReactNode, useLayoutEffect, useRef } from "react";
import { Stack, Text } from "@mantine/core";

/**
 * Nothing to show: one sentence, and one thing to do about it. When it goes with the focus in it, as after its button removed the
 * filters, the heading of the page takes the focus.
 */
export function Empty({ says, action }: { says: string; action?: ReactNode }) {
  const box = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    const shown = box.current;
    return () => {
      if (shown?.contains(document.activeElement)) document.querySelector<HTMLElement>("main h1")?.focus({ preventScroll: true });
    };
  }, []);
  return (
    <div className="note quiet" ref={box}>
      <Stack gap="xs" align="flex-start">
        <Text>{says}</Text>
        {action}
      </Stack>
    </div>
  );
}
