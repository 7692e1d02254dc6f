import type { ReactNode } from "react";
import { Button, Group, Stack, Table, Text } from "@mantine/core";
import { text } from "@/texts";
import { Empty } from "./Empty";
import { Held } from "./Held";
import { useComing, Waiting } from "./Loaded";
import { Trouble } from "./Trouble";
import type { Listing } from "./useListing";
import { Scroll } from "./Scroll";
import { useSteady } from "./useSteady";

/** A column of a table: its heading and what it shows of a row. */
export interface Column<T> {
  key: string;
  heading: string;
  cell: (row: T) => ReactNode;
  /** Figures stand to the right. */
  numbers?: boolean;
  /** The column takes the room that others leave. */
  wide?: boolean;
}

interface Props<T> {
  /** The description of the table for people who cannot see its place. */
  caption: string;
  columns: readonly Column<T>[];
  listing: Listing<T>;
  rowKey: (row: T) => string;
  /** The text of a list without rows. */
  empty: ReactNode;
  /** The list follows events: its rows stay in their places while the pointer or the focus is on them. */
  steady?: boolean;
}

const styleOf = (c: { numbers?: boolean; wide?: boolean }): string => (c.numbers ? "numbers" : c.wide ? "wide" : "");

/** A list as a table that grows by its next part. In a narrow window its rows are cards. */
export function ListTable<T>({ caption, columns, listing, rowKey, empty, steady }: Props<T>) {
  const { query, items, filled } = listing;
  const coming = useComing(query);
  const calm = useSteady(items, rowKey, listing.key, undefined);
  const rows = steady ? calm.rows : items;
  if (query.isPending || coming) return <Waiting lines={6} />;
  if (rows.length === 0 && query.isError) return <Trouble error={query.error} again={() => void query.refetch()} />;
  if (rows.length === 0) return filled ? empty : <Empty says={text.common.unfilled} />;
  return (
    <Stack gap="sm">
      <Scroll label={caption} width={columns.length > 3 ? 640 : 320}>
        <Table captionSide="top" className="list cards">
          <Table.Thead>
            <Table.Tr>
              {columns.map((c) => (
                <Table.Th key={c.key} scope="col" className={styleOf(c)}>
                  {c.heading}
                </Table.Th>
              ))}
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody {...(steady ? calm.watch : {})}>
            {rows.map((row) => (
              <Table.Tr key={rowKey(row)}>
                {columns.map((c) => (
                  <Table.Td key={c.key} className={styleOf(c)} data-label={c.heading}>
                    {c.cell(row)}
                  </Table.Td>
                ))}
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </Scroll>
      {steady && <Held held={calm.held} release={calm.release} />}
      {query.isError && <Trouble error={query.error} again={() => void query.fetchNextPage()} />}
      <Group justify="space-between">
        <Text size="sm" c="dimmed" role="status">
          {query.hasNextPage ? text.common.shownSoFar(rows.length) : text.common.shownAll(rows.length)}
        </Text>
        {query.hasNextPage && (
          <Button variant="default" loading={query.isFetchingNextPage} onClick={() => void query.fetchNextPage()}>
            {text.common.more}
          </Button>
        )}
      </Group>
    </Stack>
  );
}
