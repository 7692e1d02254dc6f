import { notifications } from "@mantine/notifications";
import { text } from "@/texts";

/** Says something in passing, that needs no answer. What did not work is said by failed.tsx. */
export function notice(message: string): void {
  notifications.show({ message, closeButtonProps: { "aria-label": text.common.close } });
}
