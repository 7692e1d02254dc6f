import { useState } from "react";
import { Button, Group, NumberInput } from "@mantine/core";
import { repository as texts } from "@/texts/repository";

/** Requests the review of a pull request that is not listed, by its number. */
export function ReviewByNumber({ busy, ask }: { busy: boolean; ask: (number: number) => void }) {
  const [number, enter] = useState<number | string>("");
  return (
    <Group align="flex-end">
      <NumberInput label={texts.number} min={1} allowDecimal={false} hideControls autoComplete="off" value={number} onChange={enter} />
      <Button variant="default" loading={busy} disabled={typeof number !== "number"} onClick={() => typeof number === "number" && ask(number)}>
        {texts.byNumber}
      </Button>
    </Group>
  );
}
