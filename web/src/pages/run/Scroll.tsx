import { Table } from "@mantine/core";

/** A table that scrolls by itself where the window is narrow, with the keyboard too. */
export function Scroll({ label, width, children }: { label: string; width: number; children: React.ReactNode }) {
  return (
    <Table.ScrollContainer minWidth={width} scrollAreaProps={{ viewportProps: { tabIndex: 0, role: "region", "aria-label": label } }}>
      {children}
    </Table.ScrollContainer>
  );
}
