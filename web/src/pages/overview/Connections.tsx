import { Stack, Table, Text, Title } from "@mantine/core";
import type { Schemas } from "@/api/queries";
import { text } from "@/texts";
import { ConnectionLink } from "@/ui/ConnectionLink";
import { Empty } from "@/ui/Empty";
import { ButtonLink } from "@/ui/links";
import { Outside } from "@/ui/Outside";
import { Scroll } from "@/ui/Scroll";
import { StateMark, type Tone } from "@/ui/StateMark";

type Connection = Schemas["Connection"];

const tones: Record<Connection["state"], Tone> = { pending: "busy", active: "good", error: "bad", paused: "warn", disabled: "quiet" };

/** Whether the tenant's connections work. */
export function Connections({ tenantId, connections }: { tenantId: string; connections: readonly Connection[] }) {
  return (
    <section className="sheet" aria-labelledby="connections">
      <Title order={2} id="connections">
        {text.overview.connectionsTitle}
      </Title>
      {connections.length === 0 ? (
        <Empty
          says={text.overview.noConnections}
          action={
            <ButtonLink to="/t/$tenantId/connections" params={{ tenantId }} variant="default">
              {text.overview.toConnections}
            </ButtonLink>
          }
        />
      ) : (
        <Scroll label={text.overview.connectionsTitle} width={360}>
          <Table>
            <Table.Thead>
              <Table.Tr>
                <Table.Th scope="col">{text.overview.connection}</Table.Th>
                <Table.Th scope="col">{text.overview.kind}</Table.Th>
                <Table.Th scope="col">{text.common.state}</Table.Th>
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {connections.map((c) => (
                <Table.Tr key={`${c.kind}/${c.id}`}>
                  <Table.Td>
                    <ConnectionLink tenantId={tenantId} kind={c.kind}>
                      <Outside says={c.name} />
                    </ConnectionLink>
                  </Table.Td>
                  <Table.Td>{text.overview.kinds[c.kind]}</Table.Td>
                  <Table.Td>
                    <Stack gap={2} align="flex-start">
                      <StateMark tone={tones[c.state]}>{text.overview.connectionState[c.state]}</StateMark>
                      {c.message !== "" && (
                        <Text size="sm" c="dimmed">
                          {c.message}
                        </Text>
                      )}
                    </Stack>
                  </Table.Td>
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        </Scroll>
      )}
    </section>
  );
}
