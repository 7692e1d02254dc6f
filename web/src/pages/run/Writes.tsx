import { Table, Text } from "@mantine/core";
import { run as texts } from "@/texts/run";
import { Outside } from "@/ui/Outside";
import { Time } from "@/ui/Time";
import { duration } from "./timeline";
import { Scroll } from "@/ui/Scroll";
import type { Write } from "./types";

/** Every write to the code host with the intent that was recorded before it. */
export function Writes({ writes }: { writes: readonly Write[] }) {
  const t = texts.writes;
  if (writes.length === 0) return <Text>{t.empty}</Text>;
  return (
    <Scroll label={t.caption} width={720}>
      <Table>
        <Table.Thead>
          <Table.Tr>
            {[t.about, t.verb, t.intent, t.took, t.outcome, t.status, t.request].map((h) => (
              <Table.Th key={h} scope="col">
                {h}
              </Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {writes.map((w) => (
            <Table.Tr key={w.id}>
              <Table.Td>{t.abouts[w.about]}</Table.Td>
              <Table.Td className="wrap-anywhere">
                {w.verb} <Outside says={w.target} />
              </Table.Td>
              <Table.Td>
                <Time at={w.startedAt} />
              </Table.Td>
              <Table.Td className="numbers">{w.finishedAt ? duration(Math.max(0, Date.parse(w.finishedAt) - Date.parse(w.startedAt))) : t.none}</Table.Td>
              <Table.Td>{w.outcome === "" ? t.open : w.outcome}</Table.Td>
              <Table.Td className="numbers">{w.status === 0 ? t.none : w.status}</Table.Td>
              <Table.Td className="wrap-anywhere">{w.requestId}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Scroll>
  );
}
