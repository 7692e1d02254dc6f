import { Table } from "@mantine/core";

/** One thing that is different: what it is called, and both values as readers know them. */
export interface Differing {
  key: string;
  name: string;
  before: string;
  after: string;
}

interface Props {
  caption: string;
  headings: { name: string; before: string; after: string };
  rows: readonly Differing[];
}

/** What was and what will be, thing by thing. It scrolls by itself where the window is narrow. */
export function Difference({ caption, headings, rows }: Props) {
  return (
    <Table.ScrollContainer minWidth={320} scrollAreaProps={{ viewportProps: { tabIndex: 0, role: "region", "aria-label": caption } }}>
      <Table verticalSpacing="xs">
        <Table.Thead>
          <Table.Tr>
            <Table.Th scope="col">{headings.name}</Table.Th>
            <Table.Th scope="col">{headings.before}</Table.Th>
            <Table.Th scope="col">{headings.after}</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {rows.map((r) => (
            <Table.Tr key={r.key}>
              <Table.Th scope="row" fw={500}>
                {r.name}
              </Table.Th>
              <Table.Td>
                <del className="plain">{r.before}</del>
              </Table.Td>
              <Table.Td>
                <ins className="plain">{r.after}</ins>
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  );
}
