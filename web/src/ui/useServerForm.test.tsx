import { TextInput } from "@mantine/core";
import { fireEvent, screen, waitFor } from "@testing-library/react";
import { expect, test } from "vitest";
import { Problem } from "@/api/problem";
import { show } from "@/test/render";
import { FormTrouble } from "./FormTrouble";
import { fieldOf, useServerForm } from "./useServerForm";

function Form({ send }: { send: () => Promise<unknown> }) {
  const { form, submit, problem, conflict } = useServerForm({ initial: { name: "old" }, send });
  return (
    <form onSubmit={submit} aria-label="form">
      <FormTrouble problem={problem} conflict={conflict} reload={() => undefined} />
      <TextInput label="Name" {...form.getInputProps("name")} />
    </form>
  );
}

const refuses = (status: number, fields: { pointer: string; message: string }[] = []) => () => Promise.reject(new Problem({ status, code: "x", detail: "Not taken.", fields, requestId: "req-7" }));

function send(): HTMLInputElement {
  const input = screen.getByLabelText<HTMLInputElement>("Name");
  fireEvent.change(input, { target: { value: "new" } });
  fireEvent.submit(screen.getByRole("form"));
  return input;
}

test("pointers are paths", () => {
  expect(fieldOf("/a/0/b")).toBe("a.0.b");
  expect(fieldOf("/a~1b")).toBe("a/b");
});

test("a mistake stands at its field as a sentence, and what was entered stays", async () => {
  show(<Form send={refuses(422, [{ pointer: "/name", message: "must be shorter" }])} />);
  const input = send();
  await waitFor(() => expect(input.getAttribute("aria-invalid")).toBe("true"));
  expect(screen.getByText("Must be shorter.")).toBeTruthy();
  expect(input.value).toBe("new");
  expect(screen.queryByRole("alert")).toBeNull();
});

test("errors without a field are shown above, with the id of the request", async () => {
  show(<Form send={refuses(422, [{ pointer: "/other", message: "is wrong" }])} />);
  send();
  expect((await screen.findByRole("alert")).textContent).toContain("req-7");
});

test("another person's change is reported, and nothing is lost", async () => {
  show(<Form send={refuses(412)} />);
  const input = send();
  expect((await screen.findByRole("alert")).textContent).toContain("Another person");
  expect(input.value).toBe("new");
});

test.each(["/name", "/name/0", "/name/0/pattern"])("the field of a mistake gets the focus: %s", async (pointer) => {
  show(<Form send={refuses(422, [{ pointer, message: "must be shorter" }])} />);
  const input = send();
  await waitFor(() => expect(document.activeElement).toBe(input));
});
