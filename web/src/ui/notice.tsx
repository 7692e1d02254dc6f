import { Button, Group } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { text } from "@/texts";

const withAct = 12_000; // ms that a message with a button stays

/** Shows a short message that needs no answer, with a button if there is something to do about it. failed.tsx shows errors. */
export function notice(message: string, does?: { label: string; act: () => void }): void {
  const closeButtonProps = { "aria-label": text.common.close };
  if (!does) {
    notifications.show({ message, closeButtonProps });
    return;
  }
  const { label, act } = does;
  const id = notifications.show({
    autoClose: withAct,
    closeButtonProps,
    message: (
      <Group justify="space-between" gap="sm">
        <span>{message}</span>
        <Button
          size="compact-sm"
          variant="default"
          onClick={() => {
            notifications.hide(id);
            act();
          }}
        >
          {label}
        </Button>
      </Group>
    ),
  });
}
