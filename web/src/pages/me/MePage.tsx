import { Stack, Text, Title } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useParams } from "@tanstack/react-router";
import { meQuery } from "@/api/queries";
import { text } from "@/texts";
import { push } from "@/texts/push";
import { reviewing } from "@/texts/reviewing";
import { Copyable } from "@/ui/Copyable";
import { Facts } from "@/ui/Facts";
import { Page } from "@/ui/Page";
import { HostAccounts } from "./HostAccounts";
import { PushBrowsers } from "./PushBrowsers";
import { Reviewing } from "./Reviewing";
import { Sessions } from "./Sessions";

/** The person's own page: sessions, browsers with notifications, and review requests. */
export function MePage() {
  const { data: me } = useQuery(meQuery);
  const { tenantId } = useParams({ from: "/t/$tenantId" });
  return (
    <Page title={text.me.title}>
      <Stack>
        {me && <Facts of={[[text.me.id, <Copyable key="id" value={me.id} name={text.me.id} />]]} />}
        <section aria-labelledby="sessions">
          <Title order={2} id="sessions">
            {text.me.sessions}
          </Title>
          <Text mb="xs">{text.me.sessionsSays}</Text>
          <Sessions />
        </section>
        <HostAccounts tenantId={tenantId} />
        <section aria-labelledby="push">
          <Title order={2} id="push" mb="xs">
            {push.title}
          </Title>
          <PushBrowsers tenantId={tenantId} />
        </section>
        <section aria-labelledby="reviewing">
          <Title order={2} id="reviewing" mb="xs">
            {reviewing.title}
          </Title>
          <Reviewing tenantId={tenantId} />
        </section>
      </Stack>
    </Page>
  );
}
