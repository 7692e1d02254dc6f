import { Table, Text, Title, VisuallyHidden } from "@mantine/core";
import { run as texts } from "@/texts/run";
import { bars } from "./stages";
import { duration } from "./timeline";
import { Scroll } from "@/ui/Scroll";
import type { StageTime } from "./types";

/** Where the time of a review went: a row for each stage, with a bar at its place in the whole. */
export function StagesPicture({ stages }: { stages: readonly StageTime[] }) {
  const t = texts.stages;
  const list = bars(stages);
  return (
    <section>
      <Title order={2} size="h4">
        {t.heading}
      </Title>
      {list.length === 0 ? (
        <Text>{t.empty}</Text>
      ) : (
          <Scroll label={t.heading} width={280}>
            <Table>
              <Table.Thead>
                <Table.Tr>
                  <Table.Th scope="col">{t.stage}</Table.Th>
                  <Table.Th scope="col">
                    <VisuallyHidden>{t.when}</VisuallyHidden>
                  </Table.Th>
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
                    <Table.Td className="stage-bar">
                      <svg viewBox="0 0 1000 10" preserveAspectRatio="none" aria-hidden>
                        <rect x={Math.min(995, 1000 * b.from)} width={Math.max(5, 1000 * b.width)} height={10} />
                      </svg>
                    </Table.Td>
                    <Table.Td className="numbers">
                      {duration(b.took)}
                    </Table.Td>
                    <Table.Td className="numbers">{`${Math.round(100 * b.width)} %`}</Table.Td>
                  </Table.Tr>
                ))}
              </Table.Tbody>
            </Table>
          </Scroll>
      )}
    </section>
  );
}
