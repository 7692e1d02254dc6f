import { Anchor, Button, Group, Stack, Text, Title } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { api, ok } from "@/api/client";
import type { Schemas } from "@/api/queries";
import { webLink } from "@/pages/run/webLink";
import { connections as texts } from "@/texts/connections";
import { Facts } from "@/ui/Facts";
import { PageLink } from "@/ui/links";
import { failed } from "@/ui/failed";
import { Outside } from "@/ui/Outside";
import { StateMark, type Tone } from "@/ui/StateMark";
import { Time } from "@/ui/Time";

type Installation = Schemas["TenantInstallation"];

const tones: Record<Installation["state"], Tone> = { active: "good", suspended: "warn", deleted: "quiet" };

/** An installation of the app on an account of GitHub. Its repositories are chosen there. */
export function InstallationCard({ tenantId, installation: i }: { tenantId: string; installation: Installation }) {
  const manage = webLink(i.manageUrl);
  return (
    <section className="sheet" aria-labelledby={i.id}>
      <Stack gap="sm">
        <Group justify="space-between" align="flex-start">
          <Title order={3} size="h4" id={i.id}>
            <Outside says={i.account} />
          </Title>
          <StateMark tone={tones[i.state]}>{texts.installationState[i.state]}</StateMark>
        </Group>
        {texts.installationSays[i.state] !== "" && <div className="note">{texts.installationSays[i.state]}</div>}
        <Facts
          of={[
            [texts.form.kind, texts.hosts[i.kind]],
            [texts.address, i.hostUrl],
            [texts.account, <bdi key="account">{texts.accountOf(i.accountType, i.account)}</bdi>],
            [texts.installed, <Time key="installed" at={i.createdAt} />],
            [
              texts.repositories,
              <PageLink key="repositories" to="/t/$tenantId/repositories" params={{ tenantId }} search={{ connection: i.id }}>
                {texts.connected(i.repositories)}
              </PageLink>,
            ],
          ]}
        />
        {manage !== "" && i.state !== "deleted" && (
          <Text size="sm">
            <Anchor href={manage} rel="noreferrer">
              {texts.manage}
            </Anchor>
          </Text>
        )}
      </Stack>
    </section>
  );
}

/** Leads to GitHub, where the person chooses the account for the app. */
export function InstallButton({ tenantId }: { tenantId: string }) {
  const begin = useMutation({
    mutationFn: () => ok(api.POST("/api/tenants/{tenantId}/installations", { params: { path: { tenantId } }, body: {} })),
    onSuccess: ({ url }) => {
      const to = webLink(url);
      if (to !== "") location.assign(to);
    },
    onError: (error) => failed(error),
  });
  return (
    <Button variant="default" loading={begin.isPending || begin.isSuccess} onClick={() => begin.mutate()}>
      {texts.install}
    </Button>
  );
}
