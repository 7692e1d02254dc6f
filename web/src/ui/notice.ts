import { notifications } from "@mantine/notifications";
import { text } from "@/texts";

/** Shows a short message that needs no answer. failed.tsx shows errors. */
export function notice(message: string): void {
  notifications.show({ message, closeButtonProps: { "aria-label": text.common.close } });
}
