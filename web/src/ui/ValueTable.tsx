import type { ReactNode } from "react";
import { Table } from "@mantine/core";
import { Scroll } from "./Scroll";

/** One thing and its values, one for each heading after the first. */
export interface Valued {
  key: string;
  name: ReactNode;
  /** In the place of all values, where one text says everything. */
  only?: ReactNode;
  values: readonly ReactNode[];
}

interface Props {
  /** The name of the table for people who cannot see it. */
  caption: string;
  headings: readonly [string, ...string[]];
  rows: readonly Valued[];
  /** In CSS pixels; a narrower window scrolls the table by itself. */
  minWidth?: number;
}

/** Things by name, each with its values. */
export function ValueTable({ caption, headings, rows, minWidth = 320 }: Props) {
  return (
    <Scroll label={caption} width={minWidth}>
      <Table verticalSpacing="xs">
        <Table.Thead>
          <Table.Tr>
            {headings.map((h) => (
              <Table.Th key={h} scope="col">
                {h}
              </Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {rows.map((r) => (
            <Table.Tr key={r.key}>
              <Table.Th scope="row" fw={500}>
                {r.name}
              </Table.Th>
              {r.only === undefined ? (
                r.values.map((v, i) => <Table.Td key={i}>{v}</Table.Td>)
              ) : (
                <Table.Td colSpan={headings.length - 1}>{r.only}</Table.Td>
              )}
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Scroll>
  );
}
