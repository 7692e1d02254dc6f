import { Table, Text, Title } from "@mantine/core";
import { run as texts } from "@/texts/run";
import { bars } from "./stages";
import { duration } from "./timeline";
import { Scroll } from "@/ui/Scroll";
import type { StageTime } from "./types";

/** Where the time of a review went: a bar for each stage, and the same in a table. */
export function StagesPicture({ stages }: { stages: readonly StageTime[] }) {
  const t = texts.stages;
  const list = bars(stages);
  const high = 22;
  return (
    <section>
      <Title order={2} size="h4">
        {t.heading}
      </Title>
      {list.length === 0 ? (
        <Text>{t.empty}</Text>
      ) : (
        <>
          <svg className="stage-bars" viewBox={`0 0 1000 ${list.length * high}`} preserveAspectRatio="none" height={list.length * high} role="img" aria-label={t.picture(list.map((b) => `${texts.live.stage(b.stage)} ${duration(b.took)}`).join(", "))}>
            {list.map((b, i) => (
              <rect key={b.stage} x={1000 * b.from} y={i * high + 3} width={Math.max(2, 1000 * b.width)} height={high - 6} />
            ))}
          </svg>
          <Scroll label={t.heading} width={280}>
            <Table>
              <Table.Thead>
                <Table.Tr>
                  <Table.Th scope="col">{t.stage}</Table.Th>
                  <Table.Th scope="col" className="numbers">
                    {t.took}
                  </Table.Th>
                  <Table.Th scope="col" className="numbers">
                    {t.share}
                  </Table.Th>
                </Table.Tr>
              </Table.Thead>
              <Table.Tbody>
                {list.map((b) => (
                  <Table.Tr key={b.stage}>
                    <Table.Td>{texts.live.stage(b.stage)}</Table.Td>
                    <Table.Td className="numbers">
                      {duration(b.took)}
                    </Table.Td>
                    <Table.Td className="numbers">{`${Math.round(100 * b.width)} %`}</Table.Td>
                  </Table.Tr>
                ))}
              </Table.Tbody>
            </Table>
          </Scroll>
        </>
      )}
    </section>
  );
}
