import { useState, type ReactNode } from "react";
import { Button, Group, Modal, Stack, Text } from "@mantine/core";
import { text } from "@/texts";

interface Props {
  title: ReactNode;
  open: boolean;
  close: () => void;
  /** Runs when the dialog has been closed and its focus was given back. */
  closed?: () => void;
  /** Whether its present entries can be lost. The default is true. */
  guards?: boolean;
  size?: "lg";
  children: () => ReactNode;
}

/** Marks the first field of a form, where the dialog then puts the focus, unless the form marks one. */
function markFirstField(form: HTMLElement | null): void {
  if (!form || form.querySelector("[data-autofocus]")) return;
  [...form.querySelectorAll<HTMLInputElement>("input:not([type=hidden]), select, textarea")].find((e) => !e.disabled)?.setAttribute("data-autofocus", "");
}

/** A form in front of the page, with the focus on its first field. A click beside it does not drop what was entered, and closing it asks first. */
export function FormModal({ title, open, close, closed, guards = true, size, children }: Props) {
  const [entered, setEntered] = useState(false);
  const [asks, setAsks] = useState(false);
  const [was, setWas] = useState(open);
  if (was !== open) {
    setWas(open); // the next opening starts without entries
    setEntered(false);
    setAsks(false);
  }
  return (
    <Modal opened={open} onClose={() => (entered && guards && !asks ? setAsks(true) : close())} closeOnClickOutside={false} title={title} {...(size ? { size } : {})} {...(closed ? { onExitTransitionEnd: closed } : {})} closeButtonProps={{ "aria-label": text.common.close }}>
      {asks && (
        <Stack className="note" gap="xs" role="alert" mb="sm">
          <Text>{text.unsaved.closes}</Text>
          <Group>
            <Button size="xs" autoFocus onClick={() => setAsks(false)}>
              {text.unsaved.goOn}
            </Button>
            <Button size="xs" variant="default" onClick={close}>
              {text.unsaved.close}
            </Button>
          </Group>
        </Stack>
      )}
      <div ref={markFirstField} onChange={() => setEntered(true)}>{open && children()}</div>
    </Modal>
  );
}
