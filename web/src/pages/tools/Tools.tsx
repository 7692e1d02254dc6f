import { useState } from "react";
import { Box, Button, Checkbox, Code, Group, Stack, Text, Title } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { api, ok } from "@/api/client";
import { tools as texts } from "@/texts/tools";
import { notice } from "@/ui/notice";
import { Outside } from "@/ui/Outside";
import { StateMark } from "@/ui/StateMark";
import { Trouble } from "@/ui/Trouble";
import { allowBody, allowedOf, readable, type Server } from "./server";

/** The tools that a server has named, and which of them reviews may call. */
export function Tools({ tenantId, server, changed }: { tenantId: string; server: Server; changed: () => void }) {
  const stored = allowedOf(server);
  const [draft, setDraft] = useState<ReadonlySet<string>>();
  const allowed = draft ?? stored;
  const save = useMutation({
    mutationFn: () => ok(api.PUT("/api/tenants/{tenantId}/mcp-servers/{serverId}/tools", { params: { path: { tenantId, serverId: server.id }, header: { "If-Match": `"v${server.version}"` } }, body: allowBody(server, allowed) })),
    onSuccess: () => {
      notice(texts.saved);
      setDraft(undefined);
    },
    onSettled: changed,
  });
  const tick = (name: string, on: boolean) => setDraft(new Set(on ? [...allowed, name] : [...allowed].filter((n) => n !== name)));
  const differing = server.tools.filter((t) => allowed.has(t.name) !== stored.has(t.name)).length;
  return (
    <section aria-labelledby={`${server.id}-tools`}>
      <Stack gap="xs">
        <Title order={3} size="h5" id={`${server.id}-tools`}>
          {texts.tools}
        </Title>
        <Text size="sm" c="dimmed">
          {texts.toolsSay}
        </Text>
        {server.tools.map((t) => (
          <Stack key={t.name} gap={2}>
            <Group gap="xs">
              <Checkbox label={<Outside says={t.name} />} aria-label={texts.allow(t.name)} checked={allowed.has(t.name)} onChange={(e) => tick(t.name, e.currentTarget.checked)} />
              {t.changed && <StateMark tone="warn">{texts.changed}</StateMark>}
            </Group>
            {t.description !== "" && (
              <Text size="sm" className="outside" pl="xl">
                <Outside says={t.description} />
              </Text>
            )}
            {t.schema ? (
              <Box component="details" open={!t.allowed} pl="xl" fz="sm">
                <summary>{texts.takes(t.name)}</summary>
                <Code block className="outside" tabIndex={0} role="group" aria-label={texts.takes(t.name)}>
                  {readable(t.schema)}
                </Code>
              </Box>
            ) : (
              <Text size="sm" c="dimmed" pl="xl">
                {texts.unusable}
              </Text>
            )}
          </Stack>
        ))}
        {save.isError && <Trouble error={save.error} />}
        {differing > 0 && (
          <Group gap="xs">
            <Button size="xs" loading={save.isPending} onClick={() => save.mutate()}>
              {texts.save}
            </Button>
            <Text size="sm" role="status">
              {texts.unsaved(differing)}
            </Text>
          </Group>
        )}
      </Stack>
    </section>
  );
}
