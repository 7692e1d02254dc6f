import { notifications } from "@mantine/notifications";
import { text } from "@/texts";

/** Says something in passing, that needs no answer; bad for what did not work. */
export function notice(message: string, tone: "good" | "bad" = "good"): void {
  notifications.show({ message, ...(tone === "bad" ? { color: "red.9", title: text.trouble.heading } : {}), closeButtonProps: { "aria-label": text.common.close } });
}
