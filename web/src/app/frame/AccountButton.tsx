import type { Ref } from "react";
import { Button, type ButtonProps } from "@mantine/core";
import { IconUser } from "@tabler/icons-react";
import { text } from "@/texts";

/** The signed-in person. It stands for the account menu until the menu is loaded. */
export function AccountButton({ name, ...rest }: { name: string; ref?: Ref<HTMLButtonElement>; onClick?: () => void } & ButtonProps) {
  return (
    <Button variant="default" size="xs" leftSection={<IconUser size={16} aria-hidden />} aria-label={text.frame.account(name)} maw={180} {...rest}>
      <bdi className="account">{name}</bdi>
    </Button>
  );
}
