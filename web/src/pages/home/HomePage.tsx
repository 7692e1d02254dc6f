import { Box, List, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { closedTenantsQuery, meQuery, myTenantsQuery } from "@/api/queries";
import { text } from "@/texts";
import { Loaded } from "@/ui/Loaded";
import { PageLink } from "@/ui/links";
import { Outside } from "@/ui/Outside";
import { Page } from "@/ui/Page";

/** The tenants of the person, to choose one of. */
export function HomePage() {
  const tenants = useQuery(myTenantsQuery);
  const { data: me } = useQuery(meQuery);
  return (
    <Box component="main" id="main" p="md" maw={760} mx="auto">
      <Page title={text.home.title}>
        <Loaded query={tenants}>
          {({ items }) => (
            <List spacing="xs">
              {items.map((t) => (
                <List.Item key={t.id}>
                  <PageLink to="/t/$tenantId/inbox" params={{ tenantId: t.id }}>
                    <Outside says={t.name} />
                  </PageLink>{" "}
                  ({text.home.role[t.role]})
                </List.Item>
              ))}
            </List>
          )}
        </Loaded>
        {me?.instanceAdmin && <PageLink to="/instance/health">{text.home.instance}</PageLink>}
        <Closed />
      </Page>
    </Box>
  );
}

/** The ways to open tenants that are closed in this session; nothing if there are no closed ones. */
function Closed() {
  const { data } = useQuery(closedTenantsQuery);
  return (
    <>
      {data?.openings.map((says) => (
        <div key={says} className="note">
          {text.home.more} {says}
        </div>
      ))}
      {data?.more && <Text>{text.home.evenMore}</Text>}
    </>
  );
}
