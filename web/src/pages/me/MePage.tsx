import { Stack, Text, Title } from "@mantine/core";
import { useParams } from "@tanstack/react-router";
import { text } from "@/texts";
import { Page } from "@/ui/Page";
import { PushBrowsers } from "./PushBrowsers";
import { Sessions } from "./Sessions";

/** What belongs to the person: sessions, and the browsers that get notifications. */
export function MePage() {
  const { tenantId } = useParams({ from: "/t/$tenantId" });
  return (
    <Page title={text.me.title}>
      <Stack>
        <section aria-labelledby="sessions">
          <Title order={2} id="sessions">
            {text.me.sessions}
          </Title>
          <Text mb="xs">{text.me.sessionsSays}</Text>
          <Sessions />
        </section>
        <section aria-labelledby="push">
          <Title order={2} id="push" mb="xs">
            {text.me.notifications}
          </Title>
          <PushBrowsers tenantId={tenantId} />
        </section>
      </Stack>
    </Page>
  );
}
