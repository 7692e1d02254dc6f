import { Stack, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { modelPricesQuery, modelsQuery } from "@/api/models";
import { routing as texts } from "@/texts/models";
import { Trouble } from "@/ui/Trouble";

interface Props {
  tenantId: string;
  credentialId: string;
  /** The name of the key, if several keys can fail on one page. */
  name?: string;
  /** The page itself already says that the models of the key could not be read. */
  pricesAlone?: boolean;
}

/** Says that the models of a key, or their prices, could not be read. Without it the lists would look empty. */
export function ListTrouble({ tenantId, credentialId, name, pricesAlone = false }: Props) {
  const models = useQuery(modelsQuery(tenantId, credentialId));
  const prices = useQuery(modelPricesQuery(tenantId, credentialId));
  const failing = [
    { query: models, says: texts.modelsUnread(name), shown: !pricesAlone },
    { query: prices, says: texts.pricesUnread(name), shown: true },
  ].filter((f) => f.shown && f.query.isError);
  return failing.map(({ query, says }) => (
    <Stack key={says} gap="xs">
      <Text size="sm">{says}</Text>
      <Trouble error={query.error} again={() => void query.refetch()} />
    </Stack>
  ));
}
