import { Group, List, Text } from "@mantine/core";
import type { Schemas } from "@/api/queries";
import { modelKeys as texts } from "@/texts/models";
import { Outside } from "@/ui/Outside";
import { StateMark } from "@/ui/StateMark";
import { Time, useNow } from "@/ui/Time";
import type { Key, lastTest } from "./keys";

interface Props {
  stored: Key;
  provider: string;
  regions: readonly Schemas["Region"][];
  test: ReturnType<typeof lastTest>;
  /** Whether the subject of the test is known. */
  tested: boolean;
}

/** The state of a key: where its calls go, whether it works, and its uses. */
export function KeyState({ stored: k, provider, regions, test, tested }: Props) {
  const now = useNow();
  const blocked = k.blockedUntil !== undefined && Date.parse(k.blockedUntil) > now;
  return (
    <>
      <Group gap="xs">
        <Text>{provider}</Text>
        {!k.apiKeySet && <StateMark tone="quiet">{texts.keyless}</StateMark>}
        {k.dataRegion && <StateMark tone="quiet">{regions.find((r) => r.id === k.dataRegion)?.name ?? k.dataRegion}</StateMark>}
        {blocked && <StateMark tone="warn">{texts.blocked}</StateMark>}
      </Group>
      {blocked && k.blockedUntil && (
        <Text size="sm">
          {texts.blockedSays} <Time at={k.blockedUntil} />.
        </Text>
      )}
      <Text size="sm" c="dimmed">
        {texts.endpoint} <Outside says={k.endpoint} />
      </Text>
      {tested && (
        <Group gap="xs">
          <Text size="sm">{texts.lastTest}:</Text>
          {test ? <StateMark tone={test.ok ? (test.before ? "quiet" : "good") : "bad"}>{test.ok ? texts.passed : texts.failed}</StateMark> : <StateMark tone="quiet">{texts.notTested}</StateMark>}
          {test && (
            <Text size="sm">
              <Time at={test.at} />. {test.note} {test.before && texts.beforeKey}
            </Text>
          )}
        </Group>
      )}
      {k.uses === 0 ? (
        <Text size="sm">{texts.unused}</Text>
      ) : (
        <Text size="sm">
          {texts.used}: <KeyUses stored={k} as="line" />
        </Text>
      )}
    </>
  );
}

/** The uses of a key. */
export function KeyUses({ stored: k, as }: { stored: Key; as: "line" | "item" }) {
  const words = [...k.usedBy.map((u) => texts.use(u.use, u.repository)), ...(k.uses > k.usedBy.length ? [texts.moreUses(k.uses - k.usedBy.length)] : [])];
  if (as === "line") return <Outside says={words.join(", ")} />;
  return words.map((w) => <List.Item key={w}>{w}</List.Item>);
}
