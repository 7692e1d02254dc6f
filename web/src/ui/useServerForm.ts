import { useState } from "react";
import { useForm, type UseFormReturnType } from "@mantine/form";
import { useMutation } from "@tanstack/react-query";
import { asProblem, type Problem } from "@/api/problem";
import { text } from "@/texts";
import { sentence } from "./format";
import { notice } from "./notice";

/** The path of a form's field for a JSON pointer: "/a/0/b" is a.0.b. */
export function fieldOf(pointer: string): string {
  return pointer
    .replace(/^\//, "")
    .split("/")
    .map((part) => part.replaceAll("~1", "/").replaceAll("~0", "~"))
    .join(".");
}

/** A path and the paths above it: an entry of a list has no input of its own if the list is one text. */
function around(path: string): string[] {
  const parts = path.split(".");
  return parts.map((_, i) => parts.slice(0, parts.length - i).join("."));
}

export interface ServerForm<V extends Record<string, unknown>> {
  form: UseFormReturnType<V>;
  /** Sends what is entered; for onSubmit. */
  submit: (event?: React.FormEvent<HTMLFormElement>) => void;
  sending: boolean;
  /** The error that belongs to no field of the form; undefined without one. */
  problem: Problem | undefined;
  /** Another person has changed it meanwhile: the entries stay, and the newest version can be loaded. */
  conflict: boolean;
}

interface Wants<V, R> {
  initial: V;
  /** Sends the values, with If-Match where what is changed has a version. */
  send: (values: V) => Promise<R>;
  /** Runs afterwards. The form itself shows that it was saved. */
  done?: (result: R) => void;
  /** What is said afterwards; "" for nothing. */
  saved?: string | ((result: R) => string);
}

/**
 * A form whose errors come from the service: each at its field by its JSON pointer, the others above
 * the form. The entries are kept until they are accepted.
 */
export function useServerForm<V extends Record<string, unknown>, R>({ initial, send, done, saved }: Wants<V, R>): ServerForm<V> {
  const form = useForm<V>({ initialValues: initial });
  const [problem, setProblem] = useState<Problem>();
  const sent = useMutation({
    mutationFn: send,
    gcTime: 0, // the entries may contain a secret, so they are kept no longer than the form
    onMutate: () => setProblem(undefined),
    onSuccess: (result) => {
      form.resetDirty();
      const says = typeof saved === "function" ? saved(result) : (saved ?? text.form.saved);
      if (says !== "") notice(says);
      done?.(result);
    },
    onError: (error) => {
      const said = asProblem(error);
      const known = said.fields.filter((f) => fieldOf(f.pointer).split(".")[0]! in initial);
      form.setErrors(Object.fromEntries(known.map((f) => [fieldOf(f.pointer), sentence(f.message)])));
      if (known.length === 0 || known.length < said.fields.length) setProblem(said.without(known));
      const first = known[0];
      for (const path of first ? around(fieldOf(first.pointer)) : []) {
        const input = form.getInputNode(path);
        input?.focus();
        if (input) break;
      }
    },
  });
  return { form, submit: form.onSubmit((values) => sent.mutate(values)), sending: sent.isPending, problem, conflict: problem?.status === 412 };
}
