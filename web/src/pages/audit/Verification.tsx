import { useState } from "react";
import { Anchor, Button, Group, List, Stack, Text, Textarea, Title } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { audit as texts } from "@/texts/audit";
import { Copyable } from "@/ui/Copyable";
import { Facts } from "@/ui/Facts";
import { count } from "@/ui/format";
import { Trouble } from "@/ui/Trouble";
import type { Report, Source } from "./source";

/** Verifies a log on demand, and exports it. */
export function Verification({ source }: { source: Source }) {
  const [checkpoint, setCheckpoint] = useState("");
  const verify = useMutation({ mutationFn: () => source.verify(checkpoint) });
  return (
    <section className="sheet" aria-label={texts.verify}>
      <Stack gap="sm">
        <Group>
          <Button loading={verify.isPending} onClick={() => verify.mutate()}>
            {texts.verify}
          </Button>
          <Anchor href={source.exportAt("jsonl")} download size="sm">
            {texts.exportJsonl}
          </Anchor>
          <Anchor href={source.exportAt("csv")} download size="sm">
            {texts.exportCsv}
          </Anchor>
        </Group>
        {verify.isPending && (
          <Text size="sm" c="dimmed">
            {texts.verifying}
          </Text>
        )}
        <details>
          <summary>{texts.outside}</summary>
          <Text size="sm" c="dimmed" my="xs">
            {texts.exportSays}
          </Text>
          <Textarea label={texts.checkpoint} description={texts.checkpointSays} rows={5} maxLength={5000} autoComplete="off" value={checkpoint} onChange={(e) => setCheckpoint(e.currentTarget.value)} />
        </details>
        {verify.isError && <Trouble error={verify.error} />}
        {verify.data && <Outcome report={verify.data} />}
      </Stack>
    </section>
  );
}

/** The result of a verification, in words. */
export function Outcome({ report: r }: { report: Report }) {
  return (
    <div className={r.ok ? "note good" : "note bad"} role="status">
      <Stack gap="xs">
        <Title order={2} size="h4">
          {r.ok ? (r.size === 0 ? texts.goodEmpty : texts.good(r.size)) : texts.wrong}
        </Title>
        {r.compared !== undefined && <Text>{texts.compared(r.compared)}</Text>}
        {r.erased > 0 && <Text>{texts.erasedCount(r.erased)}</Text>}
        {r.findings.length > 0 && (
          <List>
            {r.findings.map((f) => (
              <List.Item key={`${f.kind} ${f.seq}`}>
                {f.seq !== undefined && f.seq >= 0 && `${texts.faultAt(f.seq)} `}
                {f.message}
              </List.Item>
            ))}
          </List>
        )}
        {r.more && <Text>{texts.more}</Text>}
        <Facts
          of={[
            [texts.size, count(r.size)],
            [texts.head, r.checkpoint !== "" && <Copyable key="head" value={r.checkpoint} name={texts.head} />],
            [texts.key, <Copyable key="key" value={r.key} name={texts.key} />],
          ]}
        />
        {r.checkpoint !== "" && (
          <Text size="sm" c="dimmed">
            {texts.headSays}
          </Text>
        )}
      </Stack>
    </div>
  );
}
