import { Anchor, Button, Group, Stack, Text, Title } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { api, ok } from "@/api/client";
import type { Schemas } from "@/api/queries";
import { text } from "@/texts";
import { healthChecks, healthDocs } from "@/texts/health";
import { health as texts } from "@/texts/instance";
import { Loaded } from "@/ui/Loaded";
import { Page } from "@/ui/Page";
import { StateMark, type Tone } from "@/ui/StateMark";
import { Time } from "@/ui/Time";

type Health = Schemas["InstanceHealth"];
type Check = Schemas["HealthCheck"];

const tones: Record<Check["status"], Tone> = { ok: "good", warn: "warn", fail: "bad", skip: "quiet" };

const known = (c: Check) => (Object.hasOwn(healthChecks, c.code) ? healthChecks[c.code] : undefined);

/** The name of a check: by its code, or the service's own name if this version does not have the code. */
const nameOf = (c: Check): string => known(c)?.name ?? c.name;

/** A message of the service as a sentence. A path, an address or a setting at its beginning stays as it is. */
const sentence = (message: string): string => message.replace(/^[a-z]+(?=[ ,;]|$)/, (word) => word.charAt(0).toUpperCase() + word.slice(1));

/** The problems of the installation, and their remedies. */
export function HealthPage() {
  const query = useQuery({ queryKey: ["instance", "health"], queryFn: ({ signal }) => ok(api.GET("/api/instance/health", { signal })), staleTime: 0 });
  return (
    <Page
      title={text.frame.health}
      actions={
        <Button variant="default" loading={query.isFetching} onClick={() => void query.refetch()}>
          {texts.again}
        </Button>
      }
    >
      <Text>{query.isPending ? texts.examining : texts.says}</Text>
      <Loaded query={query} lines={8}>
        {(h) => <Examined health={h} />}
      </Loaded>
    </Page>
  );
}

function Examined({ health: h }: { health: Health }) {
  const of = (status: Check["status"]) => h.checks.filter((c) => c.status === status);
  const [failed, warned, fine, skipped] = [of("fail"), of("warn"), of("ok"), of("skip")];
  return (
    <Stack>
      <div className={failed.length > 0 ? "note bad" : "note"} role="status">
        <Text fw={650}>{[failed.length > 0 ? texts.bad(failed.length) : "", warned.length > 0 ? texts.warn(warned.length) : "", failed.length + warned.length === 0 ? texts.good : "", texts.goodSays(fine.length)].filter((s) => s !== "").join(" ")}</Text>
        <Text size="sm">
          {texts.examined} <Time at={h.examinedAt} />
        </Text>
      </div>
      <Checks heading={texts.failed} of={failed} />
      <Checks heading={texts.warned} of={warned} />
      <Lines heading={texts.inOrder} of={fine} />
      <Lines heading={texts.skipped} of={skipped} />
    </Stack>
  );
}

function Checks({ heading, of }: { heading: string; of: readonly Check[] }) {
  if (of.length === 0) return null;
  return (
    <section aria-label={heading}>
      <Title order={2} mb="xs">
        {heading}
      </Title>
      <Stack gap="xs">
        {of.map((c) => (
          <article key={`${c.code} ${c.name} ${c.message}`} className="sheet" aria-label={`${c.code} ${nameOf(c)}`}>
            <Group gap="xs" align="flex-start">
              <StateMark tone={tones[c.status]}>{texts.status[c.status]}</StateMark>
              <code>{c.code}</code>
              <Text fw={650} miw={0} className="wrap-anywhere">
                {nameOf(c)}
              </Text>
              {known(c) && (
                <Anchor size="sm" href={healthDocs(c.code)} rel="noreferrer" aria-label={texts.docsOf(c.code)}>
                  {texts.docs}
                </Anchor>
              )}
            </Group>
            {known(c) && (
              <Text size="sm" c="dimmed">
                {known(c)?.looks}
              </Text>
            )}
            <Text className="wrap-anywhere">{sentence(c.message)}</Text>
            {c.solution && (
              <Text className="wrap-anywhere">
                <b>{texts.whatToDo}:</b> {c.solution}
              </Text>
            )}
          </article>
        ))}
      </Stack>
    </section>
  );
}

/** Checks that ask for nothing: a line each. */
function Lines({ heading, of }: { heading: string; of: readonly Check[] }) {
  if (of.length === 0) return null;
  return (
    <section aria-label={heading}>
      <Title order={2} mb="xs">
        {heading}
      </Title>
      <Stack gap={6}>
        {of.map((c) => (
          <Text key={`${c.code} ${c.name} ${c.message}`} size="sm" className="wrap-anywhere">
            <StateMark tone={tones[c.status]}>{texts.status[c.status]}</StateMark> <code>{c.code}</code> <b>{nameOf(c)}</b>: {sentence(c.message)}
          </Text>
        ))}
      </Stack>
    </section>
  );
}
