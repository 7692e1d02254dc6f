import { Text } from "@mantine/core";
import { modals } from "@mantine/modals";
import { text } from "@/texts";

interface Question {
  title: string;
  says: string;
  /** The label of the confirming button, which names the action. */
  does: string;
  /** The label of the other button; "Cancel" by default. */
  not?: string;
}

/** Asks before something that cannot be undone. */
export function confirm(asks: Question & { then: () => void }): void {
  void open(asks, asks.then, () => undefined);
}

/** Asks, and tells whether the answer is yes; closing the question is no. */
export const ask = (question: Question): Promise<boolean> =>
  new Promise((answer) => {
    void open(question, () => answer(true), () => answer(false)); // after a yes the no of closing says nothing any more
  });

let listens: () => void = () => undefined;
// What shows questions comes after the page: one that nothing hears yet would be lost, and its asker would wait for ever.
const heard = new Promise<void>((resolve) => {
  listens = resolve;
});

/** Says that questions are shown from now on, and shows those that were asked before. */
export const questionsAreShown = (): void => listens();

async function open({ title, says, does, not = text.common.cancel }: Question, yes: () => void, closed: () => void): Promise<void> {
  await heard;
  modals.openConfirmModal({
    title,
    children: <Text>{says}</Text>,
    labels: { confirm: does, cancel: not },
    confirmProps: { color: "red.9" },
    cancelProps: { "data-autofocus": true },
    closeButtonProps: { "aria-label": text.common.close },
    onConfirm: yes,
    onClose: closed,
  });
}
