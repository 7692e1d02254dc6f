import type { ReactNode } from "react";
import { Text, TextInput } from "@mantine/core";
import { secretField as texts } from "@/texts/secretfield";
import { Time } from "./Time";

interface Props {
  label: string;
  value?: string;
  onChange?: (event: React.ChangeEvent<HTMLInputElement>) => void;
  error?: ReactNode;
  description?: string;
  required?: boolean;
  maxLength?: number;
  /** A secret is stored already: an empty field keeps it. */
  isSet?: boolean;
  /** The time since when, if it is known. */
  setAt?: string | undefined;
}

/** A secret that is written once: neither the service nor the page shows it again. The stored one stays unless another one is entered. */
export function SecretField({ isSet = false, setAt, description, ...input }: Props) {
  return (
    <TextInput
      {...input}
      type="password"
      autoComplete="new-password"
      spellCheck={false}
      placeholder={isSet ? texts.unchanged : ""}
      description={
        <>
          {description}
          {description && " "}
          {isSet ? texts.isSet : texts.once}
          {isSet && setAt && (
            <Text span inherit>
              {" "}
              {texts.since} <Time at={setAt} />.
            </Text>
          )}
        </>
      }
    />
  );
}
