import type { ReactNode } from "react";
import { Button, Group, Modal, Stack, Text } from "@mantine/core";
import { Facts } from "./Facts";

interface Props {
  /** undefined: there is nothing to show. */
  of: readonly (readonly [name: string, value: ReactNode])[] | undefined;
  title: string;
  says: string;
  /** The button that says that it is kept. */
  kept: string;
  close: () => void;
}

/** A value that is shown a single time, such as a secret. It disappears only when the person confirms it, not by a click beside it. */
export function ShownOnce({ of, title, says, kept, close }: Props) {
  return (
    <Modal opened={of !== undefined} onClose={close} withCloseButton={false} closeOnClickOutside={false} closeOnEscape={false} title={title} size="lg">
      {of && (
        <Stack>
          <Text>{says}</Text>
          <Facts of={of} />
          <Group>
            <Button onClick={close}>{kept}</Button>
          </Group>
        </Stack>
      )}
    </Modal>
  );
}
