import { useRef, useState } from "react";
import { CloseButton, TextInput } from "@mantine/core";
import { text } from "@/texts";

interface Props {
  label: string;
  /** The current value; "" for an unset filter. */
  value: string;
  /** Puts a value into effect. */
  apply: (value: string) => void;
  /** Text by default. Dates and times take effect as soon as they are complete. A number is a whole one from 1, and may follow a #. */
  kind?: "date" | "datetime-local" | "number";
  /** In characters. */
  most?: number;
  example?: string;
}

/** Reports whether a date is complete: while its year is typed, it is in the first centuries. */
const isComplete = (date: string): boolean => date === "" || date >= "1000";

const largest = 2 ** 31 - 1; // the largest number of a pull request that the interface takes

/** Reads the number of "12" or "#12". Returns undefined for other texts, and "" for none. */
function numberIn(words: string): string | undefined {
  const digits = words.replace(/^#\s*/, "");
  if (words === "") return "";
  return /^\d+$/.test(digits) && Number(digits) > 0 && Number(digits) <= largest ? String(Number(digits)) : undefined;
}

/** A filter that a person types. Text takes effect with Enter, or when the field loses the focus. */
export function TypedFilter({ label, value, apply, kind, most, example }: Props) {
  const field = useRef<HTMLInputElement>(null);
  const [entered, setEntered] = useState(value);
  const [wrong, setWrong] = useState(false);
  const [known, setKnown] = useState({ value, sent: value });
  if (known.value !== value) {
    setKnown({ value, sent: value });
    if (known.sent !== value) {
      setEntered(value); // a link or going back changed it
      setWrong(false);
    }
  }
  const send = (words: string) => {
    const sent = kind === "number" ? numberIn(words.trim()) : words.trim();
    setWrong(sent === undefined);
    if (sent === undefined) return;
    if (kind === "number") setEntered(sent);
    if (sent === value) return;
    setKnown({ ...known, sent });
    apply(sent);
  };
  const timed = kind === "date" || kind === "datetime-local";
  const change = (words: string) => {
    setEntered(words);
    setWrong(false);
    if (timed && isComplete(words)) send(words);
  };
  const clear = () => {
    change("");
    send("");
    field.current?.focus();
  };
  const side = entered.trim() !== value ? <span aria-hidden>{text.common.enterSign}</span> : value !== "" && <CloseButton size="sm" aria-label={text.common.clearOf(label)} onClick={clear} />;
  return (
    <TextInput
      ref={field}
      label={label}
      type={timed ? kind : "text"}
      {...(kind === "number" ? { inputMode: "numeric" as const } : {})}
      error={wrong && text.common.wrongNumber}
      autoComplete="off"
      value={entered}
      {...(most === undefined ? {} : { maxLength: most })}
      {...(example === undefined ? {} : { placeholder: example })}
      {...(timed ? {} : { title: text.common.typedHint, rightSection: side })}
      onChange={(e) => change(e.currentTarget.value)}
      onBlur={() => send(entered)}
      onKeyDown={(e) => e.key === "Enter" && !e.nativeEvent.isComposing && send(entered)}
    />
  );
}
