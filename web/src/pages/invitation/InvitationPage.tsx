import { useEffect, useState } from "react";
import { Anchor, Box, Button, Group, Stack, Text } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { api, ok } from "@/api/client";
import { asProblem } from "@/api/problem";
import { keys, myTenantsQuery, type Schemas } from "@/api/queries";
import { dropInvitation, heldInvitation } from "@/app/invitation";
import { invitation as texts, members } from "@/texts/members";
import { Empty } from "@/ui/Empty";
import { Loaded } from "@/ui/Loaded";
import { ButtonLink } from "@/ui/links";
import { notice } from "@/ui/notice";
import { Page } from "@/ui/Page";
import { Time } from "@/ui/Time";
import { Trouble } from "@/ui/Trouble";
import { visible } from "@/ui/visible";

/** Shows what the invitation of this tab gives, and accepts it. */
export function InvitationPage() {
  const [token] = useState(heldInvitation);
  useEffect(() => {
    const another = () => location.reload(); // another link in the same tab changes only the fragment
    window.addEventListener("hashchange", another);
    return () => window.removeEventListener("hashchange", another);
  }, []);
  return (
    <Box component="main" id="main" p="md" maw={760} mx="auto">
      <Page title={texts.title}>{token === "" ? <Empty says={texts.none} action={<Anchor href="/?choose=true">{texts.start}</Anchor>} /> : <Offered token={token} />}</Page>
    </Box>
  );
}

function Offered({ token }: { token: string }) {
  const offer = useQuery({
    queryKey: ["me", "invitation", token],
    queryFn: ({ signal }) => ok(api.POST("/api/me/invitations/look", { body: { token }, signal })),
    gcTime: 0, // its key is a secret
  });
  const over = offer.isError && asProblem(offer.error).absent;
  useEffect(() => {
    if (over) dropInvitation();
  }, [over]);
  return (
    <>
      <Loaded query={offer}>{(o) => <Offer token={token} offer={o} />}</Loaded>
      {offer.isError && <Anchor href="/?choose=true">{texts.start}</Anchor>}
    </>
  );
}

function Offer({ token, offer }: { token: string; offer: Schemas["InvitationOffer"] }) {
  const client = useQueryClient();
  const navigate = useNavigate();
  const { tenantId } = offer;
  const accept = useMutation({
    mutationFn: () => ok(api.POST("/api/me/invitations/accept", { body: { token } })),
    onSuccess: async () => {
      dropInvitation();
      notice(texts.joined);
      await client.invalidateQueries({ queryKey: myTenantsQuery.queryKey });
      client.removeQueries({ queryKey: keys.tenant(tenantId) });
      await navigate({ to: "/t/$tenantId/inbox", params: { tenantId } });
    },
  });
  const useless = offer.hasRole === "admin" || offer.hasRole === offer.role;
  return (
    <Stack>
      <Text>{texts.gives(visible(offer.tenantName), members.roles[offer.role])}</Text>
      <Text size="sm">
        {texts.until} <Time at={offer.expiresAt} />
      </Text>
      {offer.hasRole && <Text>{(useless ? texts.has : texts.raises)(members.roles[offer.hasRole])}</Text>}
      {accept.isError && <Trouble error={accept.error} />}
      <Group>
        {useless ? (
          <ButtonLink to="/t/$tenantId/inbox" params={{ tenantId }}>
            {texts.open}
          </ButtonLink>
        ) : (
          <Button loading={accept.isPending} onClick={() => accept.mutate()}>
            {texts.join}
          </Button>
        )}
      </Group>
    </Stack>
  );
}
