import type { ReactNode } from "react";
import { Table, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useParams } from "@tanstack/react-router";
import { meQuery } from "@/api/queries";
import { text } from "@/texts";
import { notAvailable as texts } from "@/texts/notavailable";
import { Page } from "@/ui/Page";
import { PageLink } from "@/ui/links";
import { Scroll } from "@/ui/Scroll";

/** What this version does not do, in one place. Pages of settings that can be stored already are linked here. */
export function NotAvailablePage() {
  const { tenantId } = useParams({ from: "/t/$tenantId" });
  const { data: me } = useQuery(meQuery);
  const pages: Partial<Record<keyof typeof texts.others, ReactNode>> = {
    patterns: (
      <PageLink to="/t/$tenantId/patterns" params={{ tenantId }} className="one-line">
        {texts.open}
      </PageLink>
    ),
    ...(me?.instanceAdmin && { telemetry: (
        <PageLink to="/instance/telemetry" className="one-line">
          {texts.open}
        </PageLink>
      ) }),
  };
  const rows = [...Object.entries(texts.lists), ...Object.entries(texts.others)];
  return (
    <Page title={text.frame.notAvailable}>
      <Text>{texts.says}</Text>
      <Scroll label={texts.caption} width={480}>
        <Table>
          <Table.Caption>{texts.caption}</Table.Caption>
          <Table.Thead>
            <Table.Tr>
              <Table.Th scope="col">{texts.part}</Table.Th>
              <Table.Th scope="col">{texts.now}</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {rows.map(([key, [name, now]]) => (
              <Table.Tr key={key}>
                <Table.Th scope="row">{name}</Table.Th>
                <Table.Td>
                  {now} {pages[key as keyof typeof pages]}
                </Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </Scroll>
    </Page>
  );
}
