import { Button, Code, CopyButton, Group } from "@mantine/core";
import { common } from "@/texts/common";
import "./facts.css";

/**
 * A value to use elsewhere, such as an address: shown whole, with a button that copies it. name
 * describes it for people who cannot see its place.
 */
export function Copyable({ value, name }: { value: string; name: string }) {
  return (
    <Group gap="xs" align="center">
      <Code className="copyable">{value}</Code>
      <CopyButton value={value}>
        {({ copied, copy }) => (
          <Button size="compact-sm" variant="default" onClick={copy} aria-label={common.copyOf(name)} aria-live="polite">
            {copied ? common.copied : common.copy}
          </Button>
        )}
      </CopyButton>
    </Group>
  );
}
