import type { ReactNode } from "react";
import { Modal } from "@mantine/core";
import { text } from "@/texts";

/** A form in front of the page. A click beside it does not drop what was entered. */
export function FormModal({ title, open, close, children }: { title: string; open: boolean; close: () => void; children: () => ReactNode }) {
  return (
    <Modal opened={open} onClose={close} closeOnClickOutside={false} title={title} closeButtonProps={{ "aria-label": text.common.close }}>
      {open && children()}
    </Modal>
  );
}
