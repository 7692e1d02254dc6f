import { Button, Group, Modal, Stack, Text } from "@mantine/core";
import type { Schemas } from "@/api/queries";
import { connections as texts } from "@/texts/connections";
import { Copyable } from "@/ui/Copyable";
import { Facts } from "@/ui/Facts";
import { Time } from "@/ui/Time";

/** A webhook secret, the one time that it is shown. It goes only where somebody says so: not by a click beside it. */
export function SecretOnce({ secret, close }: { secret: Schemas["WebhookSecret"] | undefined; close: () => void }) {
  return (
    <Modal opened={secret !== undefined} onClose={close} withCloseButton={false} closeOnClickOutside={false} closeOnEscape={false} title={texts.secretTitle} size="lg">
      {secret && (
        <Stack>
          <Text>{texts.secretSays}</Text>
          <Facts
            of={[
              [texts.secret, <Copyable key="secret" value={secret.secret} name={texts.secret} />],
              [texts.webhookUrl, <Copyable key="url" value={secret.webhookUrl} name={texts.webhookUrl} />],
              [texts.previous, secret.previousValidUntil && <Time at={secret.previousValidUntil} />],
            ]}
          />
          <Group>
            <Button onClick={close}>{texts.kept}</Button>
          </Group>
        </Stack>
      )}
    </Modal>
  );
}
