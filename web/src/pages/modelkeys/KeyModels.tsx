import { useState } from "react";
import { Stack, Table, Text, TextInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { modelPricesQuery, modelsQuery } from "@/api/models";
import { ListTrouble } from "@/pages/models/ListTrouble";
import { text } from "@/texts";
import { modelList as texts } from "@/texts/models";
import { money } from "@/ui/format";
import { Loaded } from "@/ui/Loaded";
import { Outside } from "@/ui/Outside";
import { Scroll } from "@/ui/Scroll";
import { matching } from "./search";

const shown = 100; // rows; the rest is found by searching

/** What the provider behind a key has, with what it costs. */
export function KeyModels({ tenantId, credentialId }: { tenantId: string; credentialId: string }) {
  const query = useQuery(modelsQuery(tenantId, credentialId));
  const prices = useQuery(modelPricesQuery(tenantId, credentialId));
  const [search, setSearch] = useState("");
  return (
    <Loaded query={query}>
      {(list) => {
        const found = matching(list.items, search);
        const price = (micros: number | undefined) => (prices.data === undefined ? text.common.none : (money(micros, "USD") ?? texts.unknown));
        return (
          <Stack gap="sm">
            <Text size="sm">{list.source === "provider" ? texts.fromProvider(list.items.length) : `${list.reason ?? ""} ${texts.suggestions}`}</Text>
            <TextInput label={texts.search} value={search} maxLength={200} autoComplete="off" onChange={(e) => setSearch(e.currentTarget.value)} />
            <ListTrouble tenantId={tenantId} credentialId={credentialId} pricesAlone />
            {found.length === 0 ? (
              <Text role="status">{texts.none}</Text>
            ) : (
              <Scroll label={texts.caption} width={320} height={420}>
                <Table stickyHeader>
                  <Table.Thead>
                    <Table.Tr>
                      <Table.Th scope="col">{texts.id}</Table.Th>
                      <Table.Th scope="col" className="numbers">
                        {texts.input}
                      </Table.Th>
                      <Table.Th scope="col" className="numbers">
                        {texts.output}
                      </Table.Th>
                    </Table.Tr>
                  </Table.Thead>
                  <Table.Tbody>
                    {found.slice(0, shown).map((m) => (
                      <Table.Tr key={m.id}>
                        <Table.Td>
                          <Outside says={m.id} />
                          {m.displayName !== m.id && m.displayName !== "" && (
                            <Text size="sm" c="dimmed">
                              <Outside says={m.displayName} />
                            </Text>
                          )}
                        </Table.Td>
                        <Table.Td className="numbers">{price(prices.data?.byId.get(m.id)?.inputMicros)}</Table.Td>
                        <Table.Td className="numbers">{price(prices.data?.byId.get(m.id)?.outputMicros)}</Table.Td>
                      </Table.Tr>
                    ))}
                  </Table.Tbody>
                </Table>
              </Scroll>
            )}
            <Text size="sm" c="dimmed">
              {found.length > shown ? `${texts.more(found.length - shown)} ` : ""}
              {texts.per}
            </Text>
          </Stack>
        );
      }}
    </Loaded>
  );
}
