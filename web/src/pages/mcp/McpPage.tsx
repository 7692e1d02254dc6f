import { Text, Title } from "@mantine/core";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useParams } from "@tanstack/react-router";
import { answer, api } from "@/api/client";
import { keys } from "@/api/queries";
import { useMayManageTenant } from "@/api/roles";
import { mcp as texts } from "@/texts/mcp";
import { Copyable } from "@/ui/Copyable";
import { Facts } from "@/ui/Facts";
import { Loaded } from "@/ui/Loaded";
import { Page } from "@/ui/Page";
import { AssistantCalls } from "./AssistantCalls";
import { OfferForm, OfferView } from "./Offer";
import { Tokens } from "./Tokens";

/** The data of a tenant that programs get at /mcp, and their tokens. */
export function McpPage() {
  const { tenantId } = useParams({ from: "/t/$tenantId" });
  const client = useQueryClient();
  const mayChange = useMayManageTenant(tenantId);
  const key = keys.tenant(tenantId, "mcp-settings");
  const stored = useQuery({ queryKey: key, queryFn: ({ signal }) => answer(api.GET("/api/tenants/{tenantId}/mcp-settings", { params: { path: { tenantId } }, signal })) });
  return (
    <Page title={texts.title}>
      <Text>{texts.says}</Text>
      <Facts of={[[texts.address, <Copyable key="address" value={`${location.origin}/mcp`} name={texts.address} />]]} />
      <section aria-labelledby="offer">
        <Title order={2} id="offer" mb="sm">
          {texts.settings}
        </Title>
        <Loaded query={stored}>
          {({ data, etag }) =>
            mayChange ? <OfferForm key={etag} tenantId={tenantId} stored={data} etag={etag} reload={() => void client.invalidateQueries({ queryKey: key })} /> : <OfferView stored={data} />
          }
        </Loaded>
      </section>
      <Tokens tenantId={tenantId} />
      {mayChange && <AssistantCalls tenantId={tenantId} />}
    </Page>
  );
}
