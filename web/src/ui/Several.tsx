import type { ReactNode } from "react";
import { Button, Group, Input, List } from "@mantine/core";
import { text } from "@/texts";
import { Outside } from "./Outside";

interface Props {
  label: string;
  says?: string;
  ids: readonly string[];
  nameOf: (id: string) => string;
  change: (ids: string[]) => void;
  error?: ReactNode;
  /** Chooses one more. Choosing one again changes nothing. */
  picker: (add: (id: string) => void) => ReactNode;
}

/** Several things that are chosen one by one, each by its name. */
export function Several({ label, says, ids, nameOf, change, error, picker }: Props) {
  const add = (id: string) => {
    if (id !== "" && !ids.includes(id)) change([...ids, id]);
  };
  return (
    <fieldset className="bare">
      <legend>{label}</legend>
      {says && <Input.Description mb="xs">{says}</Input.Description>}
      {ids.length > 0 && (
        <List mb="xs" className="bare-list" p={0}>
          {ids.map((id) => (
            <List.Item key={id}>
              <Group gap="xs">
                <Outside says={nameOf(id)} />
                <Button size="compact-sm" variant="default" aria-label={text.common.removeOf(nameOf(id))} onClick={() => change(ids.filter((other) => other !== id))}>
                  {text.common.remove}
                </Button>
              </Group>
            </List.Item>
          ))}
        </List>
      )}
      {picker(add)}
      {error && (
        <Input.Error role="alert" mt="xs">
          {error}
        </Input.Error>
      )}
    </fieldset>
  );
}
