import type { Schemas } from "@/api/queries";
import { connections as texts } from "@/texts/connections";
import { Copyable } from "@/ui/Copyable";
import { ShownOnce } from "@/ui/ShownOnce";
import { Time } from "@/ui/Time";

/** A webhook secret, the one time that it is shown. */
export function SecretOnce({ secret, close }: { secret: Schemas["WebhookSecret"] | undefined; close: () => void }) {
  return (
    <ShownOnce
      title={texts.secretTitle}
      says={texts.secretSays}
      kept={texts.kept}
      close={close}
      of={
        secret && [
          [texts.secret, <Copyable key="secret" value={secret.secret} name={texts.secret} />],
          [texts.webhookUrl, <Copyable key="url" value={secret.webhookUrl} name={texts.webhookUrl} />],
          [texts.previous, secret.previousValidUntil && <Time key="previous" at={secret.previousValidUntil} />],
        ]
      }
    />
  );
}
