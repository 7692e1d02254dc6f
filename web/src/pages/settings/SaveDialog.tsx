import { Button, Group, Modal, Stack, Text } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import type { Schemas } from "@/api/queries";
import { text } from "@/texts";
import { settings as texts } from "@/texts/settings";
import { Difference, type Differing } from "@/ui/Difference";
import { Trouble } from "@/ui/Trouble";
import { WhatIfView } from "./WhatIfView";

interface Props {
  rows: readonly Differing[];
  close: () => void;
  save: () => void;
  saving: boolean;
  tenantId: string;
  nameOf: (setting: string) => string;
  /** Asks for the effect on the last reviews; undefined if that cannot be asked. */
  ask: (() => Promise<Schemas["WhatIf"]>) | undefined;
}

/** The changes to save, setting by setting, and their effect on earlier reviews. */
export function SaveDialog({ rows, close, save, saving, tenantId, nameOf, ask }: Props) {
  const asked = useMutation({ mutationFn: async () => ask?.() });
  const { saving: words, whatIf } = texts;
  return (
    <Modal opened onClose={close} title={words.title} size="lg" closeButtonProps={{ "aria-label": text.common.close }}>
      <Stack>
        <Difference caption={words.caption} headings={{ name: words.setting, before: words.before, after: words.after }} rows={rows} />
        {ask && (
          <Stack gap={4} align="flex-start">
            <Button variant="default" size="compact-sm" loading={asked.isPending} onClick={() => asked.mutate()}>
              {whatIf.ask}
            </Button>
            <Text size="sm" c="dimmed">
              {whatIf.asks}
            </Text>
          </Stack>
        )}
        {asked.isError && <Trouble error={asked.error} />}
        {asked.data && <WhatIfView of={asked.data} tenantId={tenantId} nameOf={nameOf} />}
        <Group justify="flex-end">
          <Button variant="default" onClick={close}>
            {words.back}
          </Button>
          <Button onClick={save} loading={saving} data-autofocus>
            {text.form.save}
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}
