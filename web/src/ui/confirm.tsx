import { Text } from "@mantine/core";
import { modals } from "@mantine/modals";
import { text } from "@/texts";

/** Asks before something that cannot be undone. The button says what it does. */
export function confirm(asks: { title: string; says: string; does: string; then: () => void }): void {
  modals.openConfirmModal({
    title: asks.title,
    children: <Text>{asks.says}</Text>,
    labels: { confirm: asks.does, cancel: text.common.cancel },
    confirmProps: { color: "red.9" },
    closeButtonProps: { "aria-label": text.common.close },
    onConfirm: asks.then,
  });
}
