import { fireEvent, screen, waitFor } from "@testing-library/react";
import { expect, test, vi } from "vitest";
import { show } from "@/test/render";
import { text } from "@/texts";
import { FormModal } from "./FormModal";

const open = () => {
  const close = vi.fn();
  show(
    <FormModal title="Add a key" open close={close}>
      {() => <input aria-label="Name" />}
    </FormModal>,
  );
  return close;
};

test("the focus is on the first field, not on the button that closes", async () => {
  open();
  const field = await screen.findByLabelText("Name");
  await waitFor(() => expect(document.activeElement).toBe(field));
});

test("a form without entries closes at once", async () => {
  const close = open();
  await screen.findByLabelText("Name");
  fireEvent.click(screen.getByLabelText(text.common.close));
  expect(close).toHaveBeenCalledOnce();
});

test("entries are kept until the person confirms that they may be lost", async () => {
  const close = open();
  fireEvent.change(await screen.findByLabelText("Name"), { target: { value: "x" } });
  fireEvent.click(screen.getByLabelText(text.common.close));
  expect(close).not.toHaveBeenCalled();
  fireEvent.click(await screen.findByText(text.unsaved.goOn));
  expect(screen.queryByText(text.unsaved.closes)).toBeNull();
  expect(screen.getByLabelText<HTMLInputElement>("Name").value).toBe("x");
  fireEvent.click(screen.getByLabelText(text.common.close));
  fireEvent.click(await screen.findByText(text.unsaved.close));
  expect(close).toHaveBeenCalledOnce();
});
